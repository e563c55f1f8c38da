import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDatabase, startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { makePassableFolder } from '../testing/passable-folder.ts';
import type { Pace } from './compare.ts';
import { createWorld, type World } from './world.ts';

export type Settings = {
  /** Users of the comparisons with the bare server. */
  users: number;
  pace: Pace;
  /** Scales the amounts of work of other parts; 1 is what the docs show. */
  scale: number;
};

/** What the parts of a run share. */
export type Bench = Settings & {
  /** A new, empty database of the Postgres of this run. @returns its URL */
  freshDatabase(name: string): Promise<string>;
  /** Started when first asked for. */
  world(): Promise<World>;
  /** Stops the world, so that it does not disturb what follows. */
  endWorld(): Promise<void>;
  close(): Promise<void>;
};

export async function openBench(settings: Settings): Promise<Bench> {
  const folder = await makePassableFolder('gatebook-bench-');
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
  const freshDatabase = async (name: string): Promise<string> => {
    await ensureDatabase(server, name);
    return server.url(name);
  };
  let world: Promise<World> | null = null;
  const endWorld = async (): Promise<void> => {
    const ended = world;
    world = null;
    await ended?.then(({ stop }) => stop());
  };
  return {
    ...settings,
    freshDatabase,
    world: () => {
      world ??= createWorld({ users: settings.users, freshDatabase });
      return world;
    },
    endWorld,
    close: async () => {
      await endWorld().catch(() => undefined);
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
