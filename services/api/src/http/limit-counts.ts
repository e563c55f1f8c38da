import type { Logger } from '@gatebook/runtime/logger';

/** The count under a key, and how long it still counts. */
export type Count = { count: number; msLeft: number };

/**
 * Counters that start with the first amount and end `windowMs` later. A negative amount undoes an earlier one. It never
 * starts a counter, so a late undo is not a credit.
 */
export type Counts = { add(key: string, amount: number, windowMs: number): Promise<Count> };

/** The part of a Redis client that counting needs. */
export type SharedCounts = { eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown> };

const nothing: Count = { count: 0, msLeft: 0 };
/** About 20 MB. The oldest counter is evicted first: evicting one takes this many requests under other keys. */
const maxCounters = 100_000;

/** Counts of this process only. */
export function createMemoryCounts(nowMs: () => number, max = maxCounters): Counts {
  /** Oldest first. */
  const counters = new Map<string, { count: number; endsAt: number }>();
  return {
    add: async (key, amount, windowMs) => {
      const at = nowMs();
      const found = counters.get(key);
      const running = found !== undefined && found.endsAt > at ? found : null;
      if (!running && amount <= 0) return nothing;
      const counter = running ?? { count: 0, endsAt: at + windowMs };
      counter.count = Math.max(0, counter.count + amount);
      if (!running) {
        counters.delete(key);
        counters.set(key, counter);
        const [oldest] = counters.keys();
        if (counters.size > max && oldest !== undefined) counters.delete(oldest);
      } else if (counter.count === 0) counters.delete(key);
      return { count: counter.count, msLeft: counter.endsAt - at };
    },
  };
}

/** Atomic in Redis, so that concurrent processes do not overwrite each other. */
const script = `
local amount = tonumber(ARGV[1])
local found = redis.call('get', KEYS[1])
if not found and amount <= 0 then return {0, 0} end
local count = redis.call('incrby', KEYS[1], amount)
if not found then redis.call('pexpire', KEYS[1], ARGV[2]) end
if count <= 0 then
  redis.call('del', KEYS[1])
  return {0, 0}
end
return {count, redis.call('pttl', KEYS[1])}`;

/** Counts that all processes share. */
export function createRedisCounts(client: SharedCounts): Counts {
  return {
    add: async (key, amount, windowMs) => {
      const [count, msLeft] = (await client.eval(script, 1, `gatebook:limits:${key}`, amount, windowMs)) as number[];
      return { count: count ?? 0, msLeft: msLeft ?? 0 };
    },
  };
}

/** For this long after a failure, requests do not wait for the shared counts. */
const awayMs = 1_000;

/** Counts in `shared`, or in `own` while `shared` is unavailable. */
export function withFallback(shared: Counts, own: Counts, logger: Logger): Counts {
  let awaySince: number | null = null;
  return {
    add: async (key, amount, windowMs) => {
      if (awaySince !== null && performance.now() < awaySince + awayMs) return own.add(key, amount, windowMs);
      try {
        const count = await shared.add(key, amount, windowMs);
        awaySince = null;
        return count;
      } catch (error) {
        if (awaySince === null) logger.warn({ err: error }, 'shared rate limit counts unavailable, counting in memory');
        awaySince = performance.now();
        return own.add(key, amount, windowMs);
      }
    },
  };
}
