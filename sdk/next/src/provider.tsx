import { type GatebookClientApp, gatebookInternals } from '@gatebook/js';
import type { GatebookProviderProps as ClientProps } from '@gatebook/react';
import { ClientProvider } from './client.tsx';

export type GatebookProviderProps = Omit<ClientProps, 'app'> & {
  app: Pick<GatebookClientApp, typeof gatebookInternals>;
};

/** Hands an app of the server to the hooks and components of browsers, without its secret key. */
export function GatebookProvider({ app, ...props }: GatebookProviderProps) {
  return <ClientProvider json={app[gatebookInternals].toClientJson()} {...props} />;
}
