'use client';

export {
  createResourceCache,
  type ResourceCache,
  type ResourceCacheOptions,
  type ResourceKey,
} from './resource-cache.ts';
export { type Action, useAction } from './use-action.ts';
export { type Resource, ResourceCacheContext, useResource, useResourceCache } from './use-resource.ts';
