import type { World } from './world.ts';

type SharedUser = Awaited<ReturnType<World['signedUp']>>['user'];
/** What client and server share: a user object, and how to read it again. */
export type Subject = { user: SharedUser; email: string; reload(): Promise<SharedUser | null> };
export type MakeSubject = (world: World) => Promise<Subject>;
