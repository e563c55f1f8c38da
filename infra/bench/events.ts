import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { openEventStream, type StreamedEvent, serverHeaders } from './event-streams.ts';
import { historyProject, userIdOf } from './history-log.ts';
import { createHistoryWorld, type HistoryWorld, type Server } from './history-world.ts';
import { benchIdleStreams } from './idle-streams.ts';
import { openConnection, toMessage } from './load.ts';
import { fillLog } from './log-of-sign-ups.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

/* Of a run at full size. A user has ten public events. */
const usersAtFullSize = 100_000;
const writesAtFullSize = 1_000;
const followedAtFullSize = 50_000;
/** Public events that a cursor may skip, as a batch of the log has one commit time. */
const skippedAtMost = 20_000;

const writesPerSecond = 20;
const pageRounds = 100;
/** A stream that takes longer has lost something. */
const streamMs = 300_000;
/** Events before the head, for pages of a short feed. */
const shortFeed = 1_000;
const unknownId = '11111111-1111-4111-8111-111111111111';

/** The feed and the stream of a project with a million public events. */
export async function benchEvents(databaseUrl: string, { scale }: Pick<Bench, 'scale'>): Promise<Result[]> {
  const users = Math.max(1_000, Math.round(usersAtFullSize * scale));
  const followed = Math.max(5_000, followedAtFullSize * scale);
  let signUpsAfter = 0n;
  const world = await createHistoryWorld(databaseUrl, users, async (store) => {
    signUpsAfter = await store.head();
    await fillLog(store, Number(signUpsAfter) + followed + skippedAtMost, [historyProject]);
  });
  try {
    return await world.withServer(async (server) => [
      ...(await benchPages(server, world)),
      ...(await benchFollowing(server, world, { after: signUpsAfter, count: followed })),
      ...(await benchVisible(server, Math.max(50, writesAtFullSize * scale))),
      ...(await benchIdleStreams(server, world.pool, scale)),
    ]);
  } finally {
    await world.close();
  }
}

type Query = Readonly<Record<string, string>>;
type Page = { items: StreamedEvent[]; next_after: string; has_more: boolean; head_after: string };
type Read = (query: Query) => Promise<{ page: Page; ms: number }>;

async function withReader<T>({ origin }: Server, use: (read: Read) => Promise<T>): Promise<T> {
  const connection = await openConnection(origin);
  const read: Read = async (query) => {
    const path = `/events?${new URLSearchParams(query)}`;
    const message = toMessage(origin, { method: 'GET', path, headers: serverHeaders });
    const start = performance.now();
    const { status, body } = await connection.send(message);
    const ms = performance.now() - start;
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    return { page: JSON.parse(body) as Page, ms };
  };
  try {
    return await use(read);
  } finally {
    connection.close();
  }
}

const filtersWithoutMatch: Readonly<Record<string, Query>> = {
  types: { types: 'api_key.*,team.created' },
  user: { user_id: unknownId },
  team: { team_id: unknownId },
  'type and user': { types: 'session.created', user_id: userIdOf(1) },
  'type and team': { types: 'user.updated', team_id: unknownId },
  since: { since_millis: String(Date.parse('2099-01-01')) },
};

/** Pages that match nothing, from the first event, continued, and of a short feed. */
const benchPages = (server: Server, world: HistoryWorld): Promise<Result[]> =>
  withReader(server, async (read) => {
    const { events } = world;
    const nearHead = await findCursor(read, world, world.position - BigInt(shortFeed));
    let slowest = { filter: '', p99: 0, median: 0, short: 0, continued: 0 };
    for (const [filter, query] of Object.entries(filtersWithoutMatch)) {
      const { next } = await readToHead(read, query);
      // Nothing is scanned again: what follows is empty for every filter.
      await readToHead(read, { after: next });
      const [first = [], short = [], continued = []] = await timesOf(read, [
        query,
        { ...query, after: nearHead },
        { ...query, after: next },
      ]);
      const p99 = percentile(first, 0.99);
      if (p99 < slowest.p99) continue;
      const [median, ofShort] = [percentile(first, 0.5), percentile(short, 0.5)];
      slowest = { filter, p99, median, short: ofShort, continued: percentile(continued, 0.99) };
    }
    const name = `check 5: page that matches nothing, ${events.toLocaleString('en-US')} events, slowest filter (${slowest.filter})`;
    return [
      { name: `${name}, 99th percentile`, gatebook: slowest.p99, unit: 'ms', aim: { atMost: 50 } },
      {
        name: `${name}, median`,
        gatebook: slowest.median,
        reference: slowest.short,
        referenceName: `${shortFeed.toLocaleString('en-US')} events`,
        unit: 'ms',
        aim: { atMostRatio: 1.3 },
      },
      { name: `${name}, continued, 99th percentile`, gatebook: slowest.continued, unit: 'ms', aim: null },
    ];
  });

/** Milliseconds of each page, query by query in turn, so that a cold server and noisy moments hit all of them. */
async function timesOf(read: Read, queries: readonly Query[]): Promise<number[][]> {
  const times = queries.map((): number[] => []);
  for (let round = -10; round < pageRounds; round += 1) {
    for (const [nth, query] of queries.entries()) {
      const pages = await readToHead(read, query);
      if (round >= 0) times[nth]?.push(...pages.times);
    }
  }
  return times;
}

/**
 * The pages of a query that matches nothing: one that has looked at enough rows ends before the head.
 *
 * @throws Error if a page has events
 */
async function readToHead(read: Read, query: Query): Promise<{ times: number[]; next: string }> {
  const times: number[] = [];
  for (let rest = query; ; ) {
    const { page, ms } = await read(rest);
    if (page.items.length > 0) throw new Error(`${JSON.stringify(rest)} has ${page.items.length} events`);
    times.push(ms);
    if (!page.has_more) return { times, next: page.next_after };
    rest = { ...query, after: page.next_after };
  }
}

/** A cursor just after an event of the log, or a little later. */
async function findCursor(read: Read, { pool }: HistoryWorld, position: bigint): Promise<string> {
  const { rows } = await pool.query<{ millis: number }>(
    'select extract(epoch from committed_at) * 1000 as millis from log.events where position = $1',
    [position],
  );
  const { page } = await read({ limit: '1', since_millis: String(Math.ceil(Number(rows[0]?.millis))) });
  return page.next_after;
}

/** One reader that catches up: with sign-ups and sign-ins, and with updates only. */
const benchFollowing = (
  server: Server,
  world: HistoryWorld,
  { after, count }: { after: bigint; count: number },
): Promise<Result[]> =>
  withReader(server, async (read) => {
    const signUps = await findCursor(read, world, after);
    const first = (await read({ limit: '1' })).page.next_after;
    const rateOf = (name: string, { events, ms }: Followed, aim: Result['aim']): Result => ({
      name: `${name}, ${events.toLocaleString('en-US')} events`,
      gatebook: (events * 1_000) / ms,
      unit: 'events/s',
      aim,
    });
    const aim = { atLeast: 5_000 };
    return [
      rateOf('stream to one reader, sign-ups and sign-ins', await followStream(server, signUps, count), aim),
      rateOf('pages of 1,000 to one reader, sign-ups and sign-ins', await followPages(read, signUps, count), aim),
      rateOf('pages of 1,000 to one reader, updates of users', await followPages(read, first, count), null),
    ];
  });

type Followed = { events: number; ms: number };

async function followStream({ origin }: Server, after: string, count: number): Promise<Followed> {
  const start = performance.now();
  let events = 0;
  const followed = Promise.withResolvers<number>();
  const stream = await openEventStream(origin, `?after=${after}`, () => {
    events += 1;
    if (events === count) followed.resolve(performance.now() - start);
  });
  const tooLong = setTimeout(() => followed.reject(new Error(`the stream stopped after ${events} events`)), streamMs);
  try {
    return { events: count, ms: await followed.promise };
  } finally {
    clearTimeout(tooLong);
    stream.close();
  }
}

async function followPages(read: Read, from: string, count: number): Promise<Followed> {
  const start = performance.now();
  let events = 0;
  for (let after = from; events < count; ) {
    const { page } = await read({ limit: '1000', after });
    if (page.items.length === 0) throw new Error(`the feed ended after ${events} events`);
    events += page.items.length;
    after = page.next_after;
  }
  return { events, ms: performance.now() - start };
}

/** From the answer of a write until its event is in a stream and in a page that waits for it. */
async function benchVisible(server: Server, writes: number): Promise<Result[]> {
  const { origin } = server;
  const streamed = new Map<string, number>();
  const stream = await openEventStream(origin, '?after=head&types=user.updated', ({ data }) => {
    streamed.set(String(data.display_name), performance.now());
  });
  const answered = new Map<string, number>();
  const polled = new Map<string, number>();
  const stop = new AbortController();
  const polling = withReader(server, async (read) => {
    let after = 'head';
    while (!stop.signal.aborted) {
      const { page } = await read({ after, types: 'user.updated', wait_in_millis: '500' });
      for (const { data } of page.items) polled.set(String(data.display_name), performance.now());
      after = page.next_after;
    }
  });
  const connection = await openConnection(origin);
  try {
    await pause(1_000);
    for (let nth = 0; nth < writes; nth += 1) {
      const name = `Seen ${nth}`;
      const headers = { ...serverHeaders, 'content-type': 'application/json' };
      const body = JSON.stringify({ display_name: name });
      const call = { method: 'PATCH', path: `/users/${userIdOf((nth * 7) % 1_000)}`, headers, body };
      const due = performance.now() + 1_000 / writesPerSecond;
      const { status } = await connection.send(toMessage(origin, call));
      if (status !== 200) throw new Error(`a write answered ${status}`);
      answered.set(name, performance.now());
      await pause(Math.max(0, due - performance.now()));
    }
    const deadline = performance.now() + 10_000;
    while ((streamed.size < writes || polled.size < writes) && performance.now() < deadline) await pause(50);
  } finally {
    stop.abort();
    connection.close();
    stream.close();
    await polling;
  }
  return [toVisible('stream', answered, streamed), toVisible('page that waits', answered, polled)];
}

/** An event that is missing takes forever. It can be there before its writer has the answer. */
function toVisible(name: string, answered: ReadonlyMap<string, number>, seen: ReadonlyMap<string, number>): Result {
  const times = [...answered].map(([key, at]) => Math.max(0, (seen.get(key) ?? Number.POSITIVE_INFINITY) - at));
  return {
    name: `answer of a write → event in the ${name}, 99th percentile`,
    gatebook: percentile(times, 0.99),
    unit: 'ms',
    aim: { atMost: 50 },
  };
}
