import type { EventMethods, PublicEvent } from '@gatebook/js/events';
import { expect, test } from 'vitest';
import { readNewest } from './read-newest.ts';

const HOUR_MS = 3_600_000;
const now = 1_000 * HOUR_MS;

const event = (at: number, number = 0) => ({ id: `${at}-${number}`, created_at_millis: at }) as PublicEvent;

/** A feed of events, which counts its calls. */
function feedOf(events: readonly PublicEvent[]) {
  let calls = 0;
  const listEvents = async ({ after = '0', limit = 100, sinceMillis = 0, untilMillis = Infinity } = {}) => {
    calls += 1;
    if (!Number.isInteger(sinceMillis)) throw new Error(`since_millis: expected int, received ${sinceMillis}`);
    const matching = events.flatMap((each, place) =>
      place >= Number(after) && each.created_at_millis >= sinceMillis && each.created_at_millis < untilMillis
        ? [{ each, place }]
        : [],
    );
    const items = matching.slice(0, limit);
    const hasMore = matching.length > items.length;
    const next = hasMore ? (items.at(-1)?.place ?? 0) + 1 : events.length;
    return { items: items.map(({ each }) => each), nextAfter: String(next), hasMore, headAfter: String(events.length) };
  };
  return { list: listEvents as unknown as EventMethods['listEvents'], calls: () => calls };
}

const idsOf = (events: readonly PublicEvent[]) => events.map(({ id }) => id);

test('a short feed is read in one call, newest first', async () => {
  const events = [1, 2, 3].map((at) => event(at));
  const { list, calls } = feedOf(events);
  const found = await readNewest(list, {}, { now });
  expect(found).toEqual({ items: [...events].reverse(), from: null, nextAfter: '3' });
  expect(calls()).toBe(1);
});

test('of a long feed, the newest events are found in few calls, and the rest by going on', async () => {
  const events = Array.from({ length: 2_000 }, (_, number) => event(now - (2_000 - number) * 60_000));
  const { list, calls } = feedOf(events);
  const first = await readNewest(list, {}, { now });
  expect(first.items.length).toBeGreaterThanOrEqual(50);
  expect(first.nextAfter).toBe('2000');
  expect(calls()).toBeLessThan(8);
  let all = [...first.items];
  for (let from = first.from; from !== null; ) {
    const older = await readNewest(list, {}, { now, before: from });
    all = [...all, ...older.items];
    from = older.from;
  }
  expect(idsOf(all)).toEqual(idsOf([...events].reverse()));
});

test('of a span of time, no older and no newer events are found', async () => {
  const events = Array.from({ length: 2_000 }, (_, number) => event(now - (2_000 - number) * 60_000));
  const [since, until] = [now - 20 * HOUR_MS, now - 10 * HOUR_MS];
  const { list } = feedOf(events);
  let all: PublicEvent[] = [];
  for (let before: number | null = until; before !== null; ) {
    const found: Awaited<ReturnType<typeof readNewest>> = await readNewest(list, {}, { now, since, before });
    all = [...all, ...found.items];
    before = found.from;
  }
  const wanted = events.filter(({ created_at_millis: at }) => at >= since && at < until);
  expect(idsOf(all)).toEqual(idsOf(wanted.reverse()));
});

test('many events of one moment and long pauses lose no event', async () => {
  const burst = Array.from({ length: 700 }, (_, number) => event(now - 1_000 * 3_600, number));
  const old = Array.from({ length: 300 }, (_, number) => event(5 + number * HOUR_MS));
  const events = [...old, ...burst];
  const { list } = feedOf(events);
  let all: PublicEvent[] = [];
  for (let from: number | null | undefined; from !== null; ) {
    const found = await readNewest(list, {}, { now, before: from });
    all = [...all, ...found.items];
    from = found.from;
  }
  expect(idsOf(all)).toEqual(idsOf([...events].reverse()));
});

test('a clock that is wrong by a day hides no new event', async () => {
  const events = Array.from({ length: 400 }, (_, number) => event(now + 24 * HOUR_MS + number));
  const found = await readNewest(feedOf(events).list, {}, { now });
  expect(found.items[0]?.id).toBe(events.at(-1)?.id);
});
