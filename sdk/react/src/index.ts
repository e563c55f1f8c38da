'use client';

export { createAppWithHooks, GatebookClientApp } from './app.ts';
export type { CurrentUser, Hooks, Team, UseUserOptions } from './app-types.ts';
export { GatebookProvider, useGatebookApp, useUser } from './provider.tsx';
export {
  createResourceCache,
  type ResourceCache,
  type ResourceCacheOptions,
  type ResourceKey,
} from './resource-cache.ts';
export { GatebookTheme, type Theme, type ThemeColor } from './theme.tsx';
export { type Action, useAction } from './use-action.ts';
export { type Resource, ResourceCacheContext, useResource, useResourceCache } from './use-resource.ts';
