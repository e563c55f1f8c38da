import type { ClientApp } from '@gatebook/js/client-app';
import type { CurrentProject } from '@gatebook/js/current-project';
import type { CurrentUser } from '@gatebook/js/users';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { type Resource, useResource } from '../use-resource.ts';

export type HandlerApp = Omit<ClientApp, 'projectId' | 'getConnectedAccount'>;
export type SignInTab = 'magic-link' | 'password';

/** What pages share. */
export type HandlerSettings = {
  app: HandlerApp;
  /** The address of the page, query included. */
  url: URL;
  /** Name of what people sign in to; the project's own unless another is given. */
  productName: string | null;
  /** Mark above the card; the product's name unless another is given. */
  brand: ReactNode;
  /** Drawn behind the card. */
  backdrop: ReactNode;
  /** Centres the page in the window's height. */
  fullPage: boolean;
  firstTab: SignInTab;
  /** Said below the forms of signing in and up. */
  extraInfo: ReactNode;
  noPasswordRepeat: boolean;
};

export const HandlerContext = createContext<HandlerSettings | null>(null);

/** @throws Error outside of the handler */
export function useHandler(): HandlerSettings {
  const settings = useContext(HandlerContext);
  if (!settings) throw new Error('this page belongs inside of HandlerPages');
  return settings;
}

export function useProject(): Resource<CurrentProject> {
  const { app } = useHandler();
  return useResource(['project'], app.project.find);
}

/** Null when nobody is signed in, or only an anonymous user. */
export function useUser(): Resource<CurrentUser | null> {
  const { app } = useHandler();
  return useResource(['user'], () => app.getUser());
}

/** What people sign in to; empty while it is not known. */
export function useProductName(): string {
  const { productName } = useHandler();
  const project = useProject();
  return productName ?? project.value?.displayName ?? '';
}

export function useTitle(title: string): void {
  const product = useProductName();
  useEffect(() => {
    document.title = product === '' ? title : `${title} · ${product}`;
  }, [title, product]);
}
