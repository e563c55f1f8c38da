import { createLogger } from '@gatebook/runtime/logger';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { createFaultyLink, type FaultyLink } from '@gatebook/runtime/testing/faulty-link';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobQueue } from './job-queue.ts';

const logger = createLogger({ level: 'silent' });

let database: TestDatabase;
let link: FaultyLink;
beforeAll(async () => {
  database = await testDatabase();
  link = await createFaultyLink(database.url);
});
afterAll(async () => {
  await link.close();
  await database.close();
});

/** A worker behind the link that waits for jobs, and a queue that adds some past the link. */
async function startWorker(name: string) {
  const options = { name, logger, answerMs: 300, heartbeatMs: 300 };
  const seen: string[] = [];
  let added = 0;
  const worker = await createJobQueue<string>({ ...options, place: { kind: 'postgres', url: link.url } });
  await worker.work(async (data) => {
    if (seen.push(data) > 1) return 'done';
    // BullMQ then waits for new jobs until this one is due.
    return { laterMs: 600_000 };
  });
  const sender = await createJobQueue<string>({ ...options, place: { kind: 'postgres', url: database.url } });
  await sender.add('delayed', 'delayed');
  await expect.poll(() => sender.counts()).toMatchObject({ active: 0, delayed: 1 });
  // What the worker has heard before it waits.
  await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    /** @returns how many jobs the worker has seen */
    addAnother: async () => {
      added += 1;
      await sender.add(`job ${added}`, 'next');
      return seen.length;
    },
    close: async () => {
      await worker.close();
      await sender.close();
    },
  };
}

test('a worker hears of jobs after its connection was silent', async () => {
  const { addAnother, close } = await startWorker('silent');
  link.silence();
  link.repair();
  await expect.poll(addAnother, { interval: 250 }).toBeGreaterThan(1);
  await close();
});

test('a worker hears of jobs after a server that accepted its connection and said nothing', async () => {
  const { addAnother, close } = await startWorker('mute');
  link.silence();
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where pid <> pg_backend_pid() and datname = current_database()`,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  link.repair();
  await expect.poll(addAnother, { interval: 250 }).toBeGreaterThan(1);
  await close();
});
