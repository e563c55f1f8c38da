import { createProject, type OwnedProject } from '@gatebook/api/testing/requests';
import type { Suite } from '@gatebook/api/testing/suite';
import { runAll, type UserBatchParts } from '@gatebook/worker/user-batches/run-user-batches';
import { expect } from 'vitest';

export const batchesPath = '/internal/user-batches';
export const never = new AbortController().signal;

/** What tests do with batches of users over the API, with the worker in this process. */
export async function startBatches({ api, send }: Suite) {
  const { deps } = api;
  const shop = await createProject(send);
  const call = (method: string, rest = '', body?: object, of: OwnedProject = shop) =>
    send(method, `${batchesPath}${rest}`, { ...of, access: 'admin', ...(body && { body }) });
  const parts = (given: Partial<UserBatchParts> = {}): UserBatchParts => ({
    ...{ write: deps, db: deps.db, readModels: deps.readModels, pool: api.pool, logger: deps.logger },
    idempotencyRecords: deps.idempotencyRecords,
    ...given,
  });
  const caughtUp = async () => deps.readModels.reached(await deps.store.head());
  const run = async (given?: Partial<UserBatchParts>, signal = never) => {
    await caughtUp();
    await runAll(parts(given), signal);
    await caughtUp();
  };
  const read = async (id: string, of: OwnedProject = shop) => (await call('GET', `/${id}`, undefined, of)).body;
  const createUsers = (count: number, of: OwnedProject = shop) =>
    Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const body = { display_name: `User ${nth}` };
        return (await send('POST', '/users', { ...of, access: 'server', body })).body.id as string;
      }),
    );
  const eventsOf = async (userId: string, type: string) =>
    (await deps.store.readStream(`user-${userId}`)).events.filter((event) => event.type === type);
  const start = async (body: object, of: OwnedProject = shop) => {
    const answer = await call('POST', '', body, of);
    expect(answer.status).toBe(201);
    return answer.body;
  };

  /** Runs all batches in processes that end before each statement and each append, one after the other. */
  const runInterrupted = async (pageSize: number) => {
    for (let allowed = 1, ended = false; !ended; allowed += 1) {
      let left = allowed;
      const dying = <T extends object>(target: T): T =>
        new Proxy(target, {
          get: (of, name) => {
            const value = Reflect.get(of, name);
            if (typeof value !== 'function' || (name !== 'append' && name !== 'query')) return value;
            return (...args: unknown[]) => {
              left -= 1;
              if (left < 0) throw new Error('the process ended');
              return value.apply(of, args);
            };
          },
        });
      const write = { ...deps, store: dying(deps.store) };
      await runAll(parts({ write, pool: dying(api.pool), pageSize }), never).catch(() => undefined);
      ended = left >= 0;
    }
  };

  /** Runs all batches until the first of them has recorded a turn. */
  const runOneTurn = async (pageSize: number) => {
    const stop = new AbortController();
    const pool = new Proxy(api.pool, {
      get: (of, name) => {
        const value = Reflect.get(of, name);
        if (name !== 'query') return value;
        return async (...args: unknown[]) => {
          const answer = await value.apply(of, args);
          if (String(args[0]).includes('set done')) stop.abort();
          return answer;
        };
      },
    });
    await run({ pool, pageSize }, stop.signal);
  };

  return { shop, call, parts, caughtUp, run, read, createUsers, eventsOf, start, runInterrupted, runOneTurn };
}
