import type { OwnerClient } from '@gatebook/js/owner-client';
import { createContext, useContext } from 'react';
import type { DashboardConfig } from './config.ts';
import type { ShownPreviews } from './shown-previews.ts';
import type { WriteWatch } from './watch-writes.ts';

export type App = {
  client: OwnerClient;
  config: DashboardConfig;
  writes: Pick<WriteWatch, 'subscribe' | 'ignoreDuring'>;
  previews: Pick<ShownPreviews, 'show'>;
};

export const AppContext = createContext<App | null>(null);

/** Only for the shell and the routes: pages receive the clients they need as props. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp must be used within an AppContext');
  return app;
}
