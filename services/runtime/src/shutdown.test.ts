import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import { createShutdown } from './shutdown.ts';

const silent = createLogger({ level: 'silent' });

test('shutdown steps run once, the last added first, even if one fails', async () => {
  const ran: string[] = [];
  const shutdown = createShutdown(silent);
  shutdown.add('database', () => ran.push('database'));
  shutdown.add('projector', () => Promise.reject(new Error('no')));
  shutdown.add('http', () => ran.push('http'));
  expect(await Promise.all([shutdown.run(), shutdown.run()])).toEqual([false, false]);
  expect(ran).toEqual(['http', 'database']);
});
