'use client';

import { gatebookInternals } from '@gatebook/js';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { CurrentUser, GatebookClientApp, UseUser, UseUserOptions } from './app-types.ts';
import type { Language } from './texts/languages.ts';
import { TextProvider } from './texts/text-provider.tsx';
import type { Translation } from './texts/texts.ts';
import { useUserOf } from './use-user-of.ts';

const AppContext = createContext<GatebookClientApp | null>(null);

type Matching = {
  /** Throws if the app is one of another project. */
  projectIdMustMatch?: string;
};

export type TranslationOverrides = Partial<Translation>;
export type GatebookProviderProps = {
  app: GatebookClientApp;
  /** The language of the components as a BCP 47 tag; English by default and for languages without a translation. */
  lang?: Language | (string & {});
  /** From English texts of the components to other ones. Throws for a text that no component has. */
  translationOverrides?: TranslationOverrides;
  /** Logs a warning instead. */
  allowsUnknownTexts?: boolean;
  children?: ReactNode;
};

/** Gives the app to the hooks and components below, and loads the current user early. */
export function GatebookProvider({ app, children, ...texts }: GatebookProviderProps) {
  const { lang, translationOverrides, allowsUnknownTexts } = texts;
  useEffect(() => {
    const { options, currentUser } = app[gatebookInternals];
    if (!options.tokenStore) return;
    const user = currentUser();
    if (user.peek() === null) void user.ready();
  }, [app]);
  return (
    <AppContext.Provider value={app}>
      <TextProvider lang={lang} overrides={translationOverrides} allowsUnknown={allowsUnknownTexts}>
        {children}
      </TextProvider>
    </AppContext.Provider>
  );
}

/** @throws Error outside a `GatebookProvider` */
export function useGatebookApp({ projectIdMustMatch }: Matching = {}): GatebookClientApp {
  const app = useContext(AppContext);
  if (!app) throw new Error('Render a GatebookProvider above the components and hooks of @gatebook/react.');
  if (projectIdMustMatch !== undefined && projectIdMustMatch !== app.projectId) {
    throw new Error(`The app is one of the project ${app.projectId}, not of ${projectIdMustMatch}.`);
  }
  return app;
}

export const useUser = ((options: UseUserOptions & Matching = {}): CurrentUser | null =>
  useUserOf(useGatebookApp(options), options)) as UseUser<Matching>;
