import { createBrowserTokenStore, createClientApp } from '@gatebook/js/core';

const projectId: string = import.meta.env.VITE_GATEBOOK_PROJECT_ID;

export const gatebook = createClientApp({
  baseUrl: import.meta.env.VITE_GATEBOOK_URL ?? 'http://localhost:8102',
  projectId,
  tokenStore: createBrowserTokenStore(projectId),
});
