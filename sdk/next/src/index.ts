/** For Server Components, Server Actions and route handlers. */
export { GatebookClientApp, GatebookServerApp } from './apps.ts';
export { GatebookProvider, type GatebookProviderProps } from './provider.tsx';
export { type UserRouteHandler, withUser } from './with-user.ts';
