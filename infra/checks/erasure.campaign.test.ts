import { test } from 'vitest';
import { startRedis } from '../testing/parts.ts';
import { eraseAndSearch } from './erasure/erase-and-search.ts';

test('after the erasure of a user no trace is found with queue and counters in Redis', async (context) => {
  const redis = await startRedis();
  if (!redis) {
    if (process.env.REQUIRE_REDIS) throw new Error('redis-server is not installed');
    return context.skip('redis-server is not installed');
  }
  try {
    await eraseAndSearch({ REDIS_URL: redis.url }, redis.url);
  } finally {
    await redis.close();
  }
});
