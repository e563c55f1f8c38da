import type { ClientApp, CurrentProject, CurrentUser } from '@gatebook/js/core';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { type Resource, useResource } from '../use-resource.ts';
import type { IconName } from './account/named-icons.tsx';
import type { Method } from './last-used.ts';

export type HandlerApp = Omit<ClientApp, 'projectId' | 'getConnectedAccount'>;
export type SignInTab = 'magic-link' | 'password';

/** Settings that all pages share. */
export type HandlerSettings = {
  app: HandlerApp;
  /** The URL of the current page, with its query. */
  url: URL;
  /** What users sign in to; defaults to the project's name. */
  productName: string | null;
  /** Logo above the card; defaults to the product name. */
  brand: ReactNode;
  /** Rendered behind the card. */
  backdrop: ReactNode;
  /** Centers the page vertically. */
  fullPage: boolean;
  firstTab: SignInTab;
  /** Linked below the sign-in and sign-up forms. */
  termsUrl: string | null;
  privacyUrl: string | null;
  /** Shown below the sign-in and sign-up forms. */
  extraInfo: ReactNode;
  noPasswordRepeat: boolean;
  /** Whether users who are signed in already leave the sign-in and sign-up pages. */
  automaticRedirect: boolean;
  /** Further tabs of the account settings. */
  extraItems: readonly AccountItem[];
  /** Keeps the method last used. A preview does not. */
  storeLastUsed: (method: Method) => void;
  /** Whether the document shows nothing else. Pages set its title and move the focus. */
  isPage: boolean;
};

export type AccountItem = { id: string; title: string; content: ReactNode; icon?: ReactNode; iconName?: IconName };

export const HandlerContext = createContext<HandlerSettings | null>(null);

/** @throws Error outside `HandlerPages` */
export function useHandler(): HandlerSettings {
  const settings = useContext(HandlerContext);
  if (!settings) throw new Error('useHandler must be used inside HandlerPages');
  return settings;
}

export function useProject(): Resource<CurrentProject> {
  const { app } = useHandler();
  return useResource(['project'], app.project.find);
}

/** Null for signed-out and anonymous users. */
export function useUser(): Resource<CurrentUser | null> {
  const { app } = useHandler();
  return useResource(['user'], () => app.getUser());
}

/** The product's name; empty while loading. */
export function useProductName(): string {
  const { productName } = useHandler();
  const project = useProject();
  return productName ?? project.value?.displayName ?? '';
}

export function useTitle(title: string): void {
  const { isPage } = useHandler();
  const product = useProductName();
  useEffect(() => {
    if (isPage) document.title = product === '' ? title : `${title} · ${product}`;
  }, [title, product, isPage]);
}
