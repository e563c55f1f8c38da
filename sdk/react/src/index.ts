'use client';

export { createAppWithHooks, GatebookClientApp } from './app.ts';
export type { CurrentUser, Hooks, Team, UseUserOptions } from './app-types.ts';
export {
  GatebookProvider,
  type GatebookProviderProps,
  type TranslationOverrides,
  useGatebookApp,
  useUser,
} from './provider.tsx';
export {
  createResourceCache,
  type ResourceCache,
  type ResourceCacheOptions,
  type ResourceKey,
} from './resource-cache.ts';
export type { Language } from './texts/languages.ts';
export { GatebookTheme, type Theme, type ThemeColor } from './theme.tsx';
export { type Action, useAction } from './use-action.ts';
export { type Resource, ResourceCacheContext, useResource, useResourceCache } from './use-resource.ts';
