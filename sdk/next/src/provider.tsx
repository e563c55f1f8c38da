import { type GatebookClientApp, gatebookInternals } from '@gatebook/js';
import type { ReactNode } from 'react';
import { ClientProvider } from './client.tsx';

export type GatebookProviderProps = { app: Pick<GatebookClientApp, typeof gatebookInternals>; children?: ReactNode };

/** Hands an app of the server to the hooks and components of browsers, without its secret key. */
export function GatebookProvider({ app, children }: GatebookProviderProps) {
  return <ClientProvider json={app[gatebookInternals].toClientJson()}>{children}</ClientProvider>;
}
