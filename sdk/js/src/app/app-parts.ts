import { type AppCore, createAppCore } from './app-core.ts';
import { type Ceremonies, ceremoniesOf } from './ceremonies.ts';
import type { Server } from './connection.ts';
import type { GatebookClientAppOptions } from './options.ts';
import { createUserLookup, type UserKind, type UserLookup } from './user-lookup.ts';

/** What the methods of an app share. */
export type AppParts<User> = AppCore & Ceremonies & UserLookup<User>;

export function createAppParts<User extends { isAnonymous: boolean; isRestricted: boolean }>(
  options: GatebookClientAppOptions,
  kind: UserKind<User>,
  ownerSession?: Server['ownerSession'],
): AppParts<User> {
  const core = createAppCore(options, ownerSession);
  const parts = { ...core, ...ceremoniesOf(core) };
  return { ...parts, ...createUserLookup(parts, kind) };
}
