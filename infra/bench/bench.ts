import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDatabase, startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { makePassableFolder } from '../testing/passable-folder.ts';
import type { Pace } from './compare.ts';
import { createWorld, type World } from './world.ts';

/** Everything for an instant, to see that it runs. */
export const quick: Settings = { users: 300, sizes: [100, 300], pace: { rounds: 1, sliceMs: 100 }, scale: 0.02 };

/** What the simulation of docs/capacity.md computes with. CPU in ms per request, without Postgres and of Postgres. */
export type Costs = {
  requests: Record<string, { processMs: number; postgresMs: number }>;
  /** Milliseconds, or events per second. */
  figures: Record<string, number>;
};

export type Settings = {
  /** Users of the comparisons with the bare server. */
  users: number;
  pace: Pace;
  /** Users of the growth table. */
  sizes: readonly number[];
  /** Scales the amounts of work of other parts; 1 is what the docs show. */
  scale: number;
  /** How many old rejections are deleted. Unless given, as many as the docs show, scaled. */
  rejections?: number | undefined;
};

/** What the parts of a run share. */
export type Bench = Settings & {
  /** A new, empty database of the Postgres of this run. @returns its URL */
  freshDatabase(name: string): Promise<string>;
  /** Parts add what they measured. */
  costs: Costs;
  /** Started when first asked for. */
  world(): Promise<World>;
  /** Stops the world, so that it does not disturb what follows. */
  endWorld(): Promise<void>;
  close(): Promise<void>;
};

/** `postgres`: additional server settings. */
export async function openBench(settings: Settings, postgres: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const folder = await makePassableFolder('gatebook-bench-');
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    settings: postgres,
    maxConnections: 300,
  });
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
    costs: { requests: {}, figures: {} },
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
