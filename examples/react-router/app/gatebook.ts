import { GatebookClientApp } from '@gatebook/react';

/** Browsers keep the session in cookies. Loaders and actions pass the request as the token store. */
export const gatebook = new GatebookClientApp({
  baseUrl: import.meta.env.VITE_GATEBOOK_URL ?? 'http://localhost:8102',
  projectId: import.meta.env.VITE_GATEBOOK_PROJECT_ID,
  tokenStore: 'cookie',
});
