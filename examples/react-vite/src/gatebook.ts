import { StackClientApp } from '@stackframe/react';

export const gatebook = new StackClientApp({
  baseUrl: import.meta.env.VITE_GATEBOOK_URL ?? 'http://localhost:8102',
  projectId: import.meta.env.VITE_GATEBOOK_PROJECT_ID,
  tokenStore: 'cookie',
  // Gatebook has no analytics. With analytics on, the library signs up an anonymous user for each visitor.
  analytics: { enabled: false },
  // The developer panel links to the hosted service of Stack Auth.
  devTool: false,
});
