import type { OwnerClient } from '@gatebook/js/client';
import { createContext, useContext } from 'react';
import type { DashboardConfig } from './config.ts';

export type App = { client: OwnerClient; config: DashboardConfig };

export const AppContext = createContext<App | null>(null);

/** For the shell and the routes only; pages take the clients that they need. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp needs an AppContext around it');
  return app;
}
