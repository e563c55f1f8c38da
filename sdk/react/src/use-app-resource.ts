import type { Resource } from '@gatebook/js';
import * as React from 'react';

/** React 18 has no `use`. Bundlers reject a direct import that the installed version lacks. */
const use: typeof React.use | undefined = Reflect.get(React, 'use');

/** Suspends the component until `promise` settles. */
export function suspend(promise: Promise<unknown>): never {
  use?.(promise);
  // Also where `use` remembers an earlier promise, whose result was dropped since.
  throw promise;
}

/**
 * The value of a read, which renders again after changes. Suspends until it is loaded. Needs a browser: servers render
 * the fallback of the nearest `Suspense` instead.
 * @throws the error of the read
 */
export function useAppResource<Value>(resource: Resource<Value>): Value {
  const snapshot = React.useSyncExternalStore(resource.subscribe, resource.peek);
  if (snapshot === null) return suspend(resource.ready());
  if ('error' in snapshot) throw snapshot.error;
  return snapshot.value;
}
