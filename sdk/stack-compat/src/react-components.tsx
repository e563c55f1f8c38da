'use client';

import { GatebookProvider, type GatebookProviderProps } from '@gatebook/react';
import { GatebookHandler, type GatebookHandlerProps } from '@gatebook/react/pages';
import type { StackClientApp } from './react-app.ts';

type StackProviderProps = Omit<GatebookProviderProps, 'app' | 'translationOverrides'> & {
  app: StackClientApp;
  /** From English texts of Gatebook's components to other ones. */
  translationOverrides?: Readonly<Record<string, string>>;
};

export const StackProvider = ({ translationOverrides, ...props }: StackProviderProps) => (
  <GatebookProvider {...props} {...(translationOverrides && { translationOverrides })} />
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
