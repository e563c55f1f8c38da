import type { Resource } from '@gatebook/js';
import { useSyncExternalStore } from 'react';

/**
 * The value of a read, which renders again after changes. Suspends until it is loaded. Needs a browser: servers render
 * the fallback of the nearest `Suspense` instead.
 * @throws the error of the read; a promise to suspend, which React 18 and 19 understand, while `use` must be called in
 * every rendering
 */
export function useAppResource<Value>(resource: Resource<Value>): Value {
  const snapshot = useSyncExternalStore(resource.subscribe, resource.peek, requireBrowser);
  if (snapshot === null) throw resource.ready();
  if ('error' in snapshot) throw snapshot.error;
  return snapshot.value;
}

/** @throws Error on a server, with the digest by which Next.js expects the browser to render the component */
export function requireBrowser(): null {
  if (typeof window !== 'undefined') return null;
  const message = 'Hooks of Gatebook need a browser. Wrap the component in <Suspense>.';
  throw Object.assign(new Error(message), { digest: 'BAILOUT_TO_CLIENT_SIDE_RENDERING' });
}
