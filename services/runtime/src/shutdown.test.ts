import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import { createShutdown } from './shutdown.ts';

const silent = createLogger({ level: 'silent' });

test('steps run once, last added first, also after one failed', async () => {
  const ran: string[] = [];
  const shutdown = createShutdown(silent);
  shutdown.add('database', () => ran.push('database'));
  shutdown.add('projector', () => Promise.reject(new Error('no')));
  shutdown.add('http', () => ran.push('http'));
  expect(await Promise.all([shutdown.run(), shutdown.run()])).toEqual([false, false]);
  expect(ran).toEqual(['http', 'database']);
});
