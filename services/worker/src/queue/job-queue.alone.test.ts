import { createLogger } from '@gatebook/runtime/logger';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { createJobQueue } from './job-queue.ts';

test('the queue in Postgres starts a job within a second', async () => {
  const database = await testDatabase();
  const queue = await createJobQueue<string>({
    name: 'soon',
    place: { kind: 'postgres', url: database.url },
    logger: createLogger({ level: 'silent' }),
  });
  const started = new Promise<number>((resolve) => {
    void queue.work(async () => {
      resolve(performance.now());
      return 'done';
    });
  });
  const added = performance.now();
  await queue.add('first', 'one');
  expect((await started) - added).toBeLessThan(1_000);
  await queue.close();
  await database.close();
});
