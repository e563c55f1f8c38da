import { createContext, useCallback, useContext, useRef, useSyncExternalStore } from 'react';
import type { ResourceCache, ResourceKey } from './resource-cache.ts';

export const ResourceCacheContext = createContext<ResourceCache | null>(null);

export type Resource<Value> = {
  /** Undefined until loaded; kept while a refresh runs or fails. */
  value: Value | undefined;
  error: unknown;
  isFetching: boolean;
  /** Fetches again; resolves when the state is up to date. */
  refresh: () => Promise<void>;
};

/** Reads through the cache. All users of a key share one fetch and one value. */
export function useResource<Value>(key: ResourceKey, load: () => Promise<Value>): Resource<Value> {
  const cache = useResourceCache();
  const id = JSON.stringify(key);
  const latest = useRef(load);
  latest.current = load;
  const subscribe = useCallback(
    (listener: () => void) => {
      const subscribed: ResourceKey = JSON.parse(id);
      return cache.subscribe(subscribed, latest.current, listener);
    },
    [cache, id],
  );
  const readState = () => cache.state(key);
  const state = useSyncExternalStore(subscribe, readState, readState);
  if (state.value === undefined && state.error === undefined) cache.prepare(key, load);
  const refresh = useCallback(() => cache.refresh(JSON.parse(id)), [cache, id]);
  return { value: state.value as Value | undefined, error: state.error, isFetching: state.isFetching, refresh };
}

/** @throws Error outside a `ResourceCacheContext` */
export function useResourceCache(): ResourceCache {
  const cache = useContext(ResourceCacheContext);
  if (!cache) throw new Error('useResource must be used inside a ResourceCacheContext');
  return cache;
}
