import type { Resource } from '@gatebook/js';
import { useSyncExternalStore } from 'react';

/**
 * The value of a read, which renders again after changes. Suspends until it is loaded. Needs a browser: servers render
 * the fallback of the nearest `Suspense` instead.
 * @throws the error of the read; a promise to suspend, which React 18 and 19 understand, while `use` must be called in
 * every rendering
 */
export function useAppResource<Value>(resource: Resource<Value>): Value {
  const snapshot = useSyncExternalStore(resource.subscribe, resource.peek);
  if (snapshot === null) throw resource.ready();
  if ('error' in snapshot) throw snapshot.error;
  return snapshot.value;
}
