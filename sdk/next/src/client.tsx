'use client';

import { type ClientAppJson, gatebookInternals } from '@gatebook/js';
import { GatebookClientApp, GatebookProvider, type GatebookProviderProps } from '@gatebook/react';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Layouts render again with the same app. */
const apps = new Map<string, GatebookClientApp>();

function appOf({ uniqueIdentifier: _, ...options }: ClientAppJson): GatebookClientApp {
  const key = JSON.stringify(options);
  const app = apps.get(key) ?? new GatebookClientApp(options);
  apps.set(key, app);
  return app;
}

/** What `GatebookProvider` renders in browsers. Server Components are rendered again after a sign-in or sign-out. */
export function ClientProvider({ json, ...props }: Omit<GatebookProviderProps, 'app'> & { json: ClientAppJson }) {
  const app = appOf(json);
  const { refresh } = useRouter();
  useEffect(() => app[gatebookInternals].connectionOf().session.subscribe(refresh), [app, refresh]);
  return <GatebookProvider app={app} {...props} />;
}
