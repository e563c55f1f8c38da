import { createLogger } from '@gatebook/runtime/logger';
import { expect, test } from 'vitest';
import type { WorkerDeps } from '../deps.ts';
import { cleanUp } from './clean-up.ts';

test('each part that fails is logged, and all others run', async () => {
  const stopping = new AbortController();
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn' }, { write: (line) => lines.push(line) });
  const ran: string[] = [];
  const fail = async () => {
    throw new Error('the database is gone');
  };
  const deps = {
    ...{ pool: { query: fail, connect: fail }, db: { rows: fail, query: fail }, logger },
    ...{ activity: {}, readModels: { ready: async () => undefined }, write: { now: () => '2026-01-15T12:00:00.000Z' } },
    idempotencyRecords: { forgetOld: async () => void ran.push('idempotency records') },
  } as unknown as WorkerDeps;
  const limits = { forgetBefore: async () => void ran.push('email limits') };
  const removeUnused = async () => void ran.push('blobs');
  const blobKeeper = { removeUnused };
  const ended = cleanUp(deps, limits as never, blobKeeper as never, stopping.signal);
  const logged = () => lines.map((line) => JSON.parse(line).msg as string).sort();
  await expect
    .poll(logged)
    .toEqual([
      'could not archive streams',
      'could not count active users',
      'could not delete batches of users',
      'could not delete counts of deleted metrics',
      'could not delete rejections',
      'could not delete webhook messages',
      'could not forget erased activity',
    ]);
  expect(ran.sort()).toEqual(['blobs', 'email limits', 'idempotency records']);
  stopping.abort();
  await ended;
});
