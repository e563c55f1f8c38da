'use client';

import { GatebookProvider } from '@gatebook/react';
import { GatebookHandler, type GatebookHandlerProps } from '@gatebook/react/pages';
import type { ReactNode } from 'react';
import type { StackClientApp } from './react-app.ts';

type StackProviderProps = {
  app: StackClientApp;
  /** Accepted for compatibility; all texts are English. */
  lang?: string;
  /** The same. */
  translationOverrides?: Readonly<Record<string, string>>;
  children?: ReactNode;
};

export const StackProvider = ({ app, children }: StackProviderProps) => (
  <GatebookProvider app={app}>{children}</GatebookProvider>
);

type StackHandlerProps = GatebookHandlerProps & {
  /** Deprecated, as the next three: the app comes from the provider, the path from `location` or the browser. */
  app?: StackClientApp;
  routeProps?: unknown;
  params?: unknown;
  searchParams?: unknown;
};

export const StackHandler = ({
  app: _app,
  routeProps: _route,
  params: _params,
  searchParams: _search,
  fullPage = false,
  ...props
}: StackHandlerProps) => <GatebookHandler fullPage={fullPage} {...props} />;
