import { type GatebookClientApp, gatebookInternals, type Resource } from '@gatebook/js';
import { wantedUser } from '@gatebook/js/core';
import type { CurrentUser, UseUserOptions } from './app-types.ts';
import { requireBrowser, useAppResource } from './use-app-resource.ts';

/** What hooks need of an app. */
export type AppInternals = Pick<GatebookClientApp, typeof gatebookInternals>;
type Wait = { promise: Promise<void>; failure: { error: unknown } | null };

/** A failed attempt can be repeated after this time. React renders again right after an error, which must not count. */
const FAILURE_LASTS_MS = 1_000;

/** Running redirects and anonymous sign-ups of each session, by `or`. */
const waitsOfSessions = new WeakMap<object, Map<string, Wait>>();

/** `useUser` of a given app (protocol, client §9). */
export function useUserOf(app: AppInternals, options: UseUserOptions = {}): CurrentUser | null {
  requireBrowser();
  const current = app[gatebookInternals].currentUser(options) as Resource<CurrentUser | null>;
  const user = useAppResource(current);
  const wanted = wantedUser(user, options);
  const { or = 'return-null' } = options;
  if (wanted) return wanted;
  if (or === 'throw') throw new Error('No user is signed in.');
  if (or !== 'redirect' && or !== 'anonymous') return null;
  const { promise, failure } = waitForUser(app, { ...options, or }, user, current);
  throw failure ? failure.error : promise;
}

type Action = UseUserOptions & { or: 'redirect' | 'anonymous' };

/** Starts what `or` says, once per session. Ends with the next change of the current user. */
function waitForUser(
  app: AppInternals,
  options: Action,
  user: CurrentUser | null,
  current: Resource<CurrentUser | null>,
): Wait {
  const { connectionOf, actWithoutUser } = app[gatebookInternals];
  const connection = connectionOf(options);
  const waits = waitsOfSessions.get(connection) ?? new Map<string, Wait>();
  waitsOfSessions.set(connection, waits);
  const known = waits.get(options.or);
  if (known) return known;

  let resume = () => {};
  const promise = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const wait: Wait = { promise, failure: null };
  const end = () => {
    stop();
    waits.delete(options.or);
    resume();
  };
  const stop = current.subscribe(() => {
    const found = current.peek();
    if (found === null || 'error' in found || found.value !== user) end();
  });
  const fail = (error: unknown) => {
    wait.failure = { error };
    resume();
    setTimeout(end, FAILURE_LASTS_MS);
  };
  // Later: routers reject navigation during rendering.
  Promise.resolve()
    .then(() => actWithoutUser(user, options))
    .catch(fail);
  waits.set(options.or, wait);
  return wait;
}
