import { randomUUID } from 'node:crypto';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createHotRows } from '@gatebook/projections/hot-rows';
import { createLogTail } from '@gatebook/projections/log-tail';
import { createPeers } from '@gatebook/projections/peers/peers';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { createReadModels } from '@gatebook/projections/wait';
import { createListener, type Listener } from '@gatebook/runtime/listener';
import type { Pool } from '@gatebook/runtime/postgres';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findApiKeyByHash } from './api-keys/queries.ts';
import { mainGroup } from './projection-groups.ts';
import { createReadDb } from './read-db.ts';
import { changesHotRows } from './row-streams.ts';
import { findSessionByRefreshToken } from './sessions/queries.ts';
import { type ReadSide, startReadSide } from './testing/read-side.ts';
import { findCurrentUser } from './users/queries.ts';

const projectId = 'internal';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide([mainGroup]);
});
afterAll(() => side.close());

/** Lets everything pass, or nothing while it is closed. */
function createGate() {
  let opening: { promise: Promise<void>; open: () => void } | null = null;
  return {
    pass: async () => {
      while (opening) await opening.promise;
    },
    close: () => {
      let open = () => {};
      const promise = new Promise<void>((resolve) => (open = resolve));
      opening = { promise, open };
    },
    open: () => {
      opening?.open();
      opening = null;
    },
  };
}

/**
 * An API process. While its gate is closed, it gets nothing and sends nothing, but still serves what it has in memory,
 * as a process does that resumes after a hang.
 */
async function startApi() {
  const gate = createGate();
  const own = createListener(side.database.url, { name: 'test api', logger });
  const listener: Listener = {
    listen: (channel, onNotification, onGap, onLost) =>
      own.listen(channel, (payload) => void gate.pass().then(() => onNotification(payload)), onGap, onLost),
    close: own.close,
  };
  const pool = {
    query: async (...args: Parameters<Pool['query']>) => {
      await gate.pass();
      const result: unknown = await side.pools.api.query(...args);
      await gate.pass();
      return result;
    },
  } as unknown as Pool;
  const tail = createLogTail({
    store: {
      head: async () => {
        await gate.pass();
        const head = await side.store.head();
        await gate.pass();
        return head;
      },
      subscribe: async function* (...args) {
        for await (const events of side.store.subscribe(...args)) {
          await gate.pass();
          yield events;
        }
      },
    },
    logger,
  });
  const peers = await createPeers({ pool, listener, tail, id: randomUUID(), logger });
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  let cached = 0;
  const onLookup = (isCached: boolean) => {
    if (isCached) cached += 1;
  };
  const hotRows = createHotRows({ tail, peers, readModels, isRelevant: changesHotRows, onLookup });
  const stop = new AbortController();
  const ended = Promise.all([tail.follow(stop.signal), peers.follow(stop.signal)]);
  await expect.poll(peers.canCache).toBe(true);
  return {
    gate,
    cached: () => cached,
    db: createReadDb(pool, readModels, pool, hotRows),
    /** What the response to a write waits for, unless it is marked as stale. */
    acknowledge: async (position: bigint) => {
      await gate.pass();
      await hotRows.passed(position);
      while ((await readModels.reached(position)) === 'behind');
      await gate.pass();
    },
    close: async () => {
      gate.open();
      stop.abort();
      await ended;
      await readModels.close();
      await own.close();
    },
  };
}
type Api = Awaited<ReturnType<typeof startApi>>;

/** Numbers from 0 to below `below`, the same in every run (the mulberry32 generator). */
function createChoices(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** A user with a selected team, a session and an API key, and what acknowledged writes say about them. */
type Person = {
  userId: string;
  teamId: string;
  sessionId: string;
  keyHash: string;
  /** Acknowledged: the next read shows these versions or later ones. */
  name: number;
  teamName: number;
  /** Number of the last write of a version. */
  written: number;
  isBusy: boolean;
  /** Its end is being written, or acknowledged. */
  isEnding: boolean;
  hasEnded: boolean;
  isKeyRevoked: boolean;
};

const record = (stream: string, ...events: readonly GatebookEvent[]) => side.record(stream, ...events);

const startSession = ({ userId, sessionId }: Pick<Person, 'userId' | 'sessionId'>) =>
  record(`session-${sessionId}`, {
    type: 'SessionStarted',
    data: {
      ...unknownSignIn,
      ...{ sessionId, userId, projectId, userRevision: 10_000, refreshTokenHash: sessionId, secondFactor: null },
      ...{
        expiresAt: '2099-01-15T12:00:00.000Z',
        isImpersonation: false,
        impersonator: null,
        impersonationReason: null,
        method: 'password',
      },
      ...{ ip: null, userAgent: null, at },
    },
  });

const createKey = ({ userId, keyHash }: Pick<Person, 'userId' | 'keyHash'>) =>
  record(`apikey-${keyHash}`, {
    type: 'ApiKeyCreated',
    data: {
      ...{ keyId: keyHash, projectId, ownerType: 'user', ownerId: userId, ownerRevision: 10_000, description: null },
      ...{ expiresAt: null, isPublic: false, hash: keyHash, lastFour: 'last', at },
    },
  });

async function createPerson(): Promise<Person> {
  const [userId, teamId, sessionId, keyHash] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const profile = { displayName: '0', profileImageUrl: null, ...metadata };
  const facts = { projectId, ...profile, at };
  await record(`user-${userId}`, {
    type: 'UserCreated',
    data: { ...unknownSignIn, ...facts, userId, isAnonymous: false, method: 'password' },
  });
  await record(`team-${teamId}`, {
    type: 'TeamCreated',
    data: { ...facts, teamId, subjectId: teamId, creatorId: null },
  });
  await record(`membership-${teamId}.${userId}`, {
    type: 'TeamMemberAdded',
    data: { teamId, userId, projectId, permissionKeys: [], how: 'added', at },
  });
  await record(`user-${userId}`, { type: 'TeamSelected', data: { userId, teamId, at } });
  await startSession({ userId, sessionId });
  await createKey({ userId, keyHash });
  const acknowledged = {
    name: 0,
    teamName: 0,
    written: 0,
    isBusy: false,
    isEnding: false,
    hasEnded: false,
    isKeyRevoked: false,
  };
  return { userId, teamId, sessionId, keyHash, ...acknowledged };
}

/** A write that `api` acknowledges and that changes or ends something, and then what makes the next one possible. */
async function write(api: Api, person: Person, kind: number): Promise<void> {
  const { userId, teamId, sessionId, keyHash } = person;
  person.written += 1;
  const { written } = person;
  if (kind === 0) {
    await api.acknowledge(
      await record(`user-${userId}`, { type: 'UserRenamed', data: { userId, displayName: `${written}`, at } }),
    );
    person.name = written;
  } else if (kind === 1) {
    await api.acknowledge(
      await record(`team-${teamId}`, { type: 'TeamRenamed', data: { teamId, displayName: `${written}`, at } }),
    );
    person.teamName = written;
  } else if (kind === 2) {
    person.isEnding = true;
    const ended = { sessionId, userId, reason: 'sign_out' as const, at };
    await api.acknowledge(await record(`session-${sessionId}`, { type: 'SessionEnded', data: ended }));
    person.hasEnded = true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = { userId, sessionId: randomUUID() };
    await api.acknowledge(await startSession(next));
    Object.assign(person, next, { isEnding: false, hasEnded: false });
  } else {
    const revoked = { keyId: keyHash, projectId, by: 'owner' as const, at };
    await api.acknowledge(await record(`apikey-${keyHash}`, { type: 'ApiKeyRevoked', data: revoked }));
    person.isKeyRevoked = true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const next = { userId, keyHash: randomUUID() };
    await api.acknowledge(await createKey(next));
    Object.assign(person, next, { isKeyRevoked: false });
  }
}

/** One request that reads everything about a person. @returns what is older than an acknowledged write */
async function read(api: Api, person: Person): Promise<string[]> {
  const expected = { ...person };
  const { userId, sessionId, keyHash } = expected;
  const [current, byToken, key] = await Promise.all([
    findCurrentUser(api.db, projectId, userId, sessionId),
    findSessionByRefreshToken(api.db, projectId, sessionId),
    findApiKeyByHash(api.db, keyHash),
  ]);
  const faults: string[] = [];
  for (const user of [current?.user, byToken?.user]) {
    if (user && Number(user.displayName) < expected.name) faults.push(`name ${user.displayName} < ${expected.name}`);
    const team = user?.selectedTeam?.displayName;
    if (user && Number(team) < expected.teamName) faults.push(`team ${team} < ${expected.teamName}`);
  }
  if (expected.hasEnded && current?.isSessionLive) faults.push('an ended session is alive');
  if (expected.hasEnded && byToken) faults.push('the refresh token of an ended session is valid');
  const isAlive = !person.isEnding && person.sessionId === sessionId;
  if (isAlive && !(current?.isSessionLive && byToken)) faults.push('a live session has ended');
  if (expected.isKeyRevoked && key?.revokedAt === null) faults.push('a revoked key is valid');
  return faults;
}

/** Hangs, shorter and longer than the lease, in milliseconds. */
const hangs = [40, 4_500, 5, 1_200, 400];

test('no process serves a row from before an acknowledged write, while processes hang', {
  timeout: 600_000,
}, async () => {
  const apis = [await startApi(), await startApi()] as const;
  const people = await Promise.all(Array.from({ length: 6 }, createPerson));
  await apis[0].acknowledge(await side.store.head());
  const runMs = 45_000;
  const end = performance.now() + runMs;
  const faults = new Set<string>();
  const readings: Promise<void>[] = [];
  let writes = 0;
  // A slow machine needs longer for as many.
  const hasEnough = () => writes > runMs / 1_000 && apis.every(({ cached }) => cached() > runMs / 100);
  const isOver = () => performance.now() > end && hasEnough();
  const pauseFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  const writers = Array.from({ length: 4 }, async (_, nth) => {
    const choose = createChoices(100 + nth);
    while (!isOver()) {
      const person = people[choose(people.length)];
      const api = apis[nth % apis.length];
      if (person && api && !person.isBusy) {
        person.isBusy = true;
        await write(api, person, choose(4));
        person.isBusy = false;
        writes += 1;
      }
      await pauseFor(choose(60));
    }
  });
  const readers = Array.from({ length: 6 }, async (_, nth) => {
    const choose = createChoices(200 + nth);
    while (!isOver()) {
      const person = people[choose(people.length)];
      const api = apis[nth % apis.length];
      if (!person || !api) continue;
      const reading = read(api, person).then((found) => {
        for (const fault of found) faults.add(fault);
      });
      // A read of a row that is not in memory waits until the end of a hang, but others are served.
      await Promise.race([reading, pauseFor(5)]);
      readings.push(reading);
      // Readers outnumber the events of the loop.
      if (choose(8) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const choose = createChoices(300);
  for (let nth = 0; !isOver(); nth += 1) {
    const api = apis[choose(apis.length)] ?? apis[0];
    // Fills its memory.
    for (const person of people) await read(api, person);
    api.gate.close();
    countFault();
    await pauseFor(hangs[nth % hangs.length] ?? 0);
    api.gate.open();
    await pauseFor(choose(1_500));
  }
  await Promise.all([...writers, ...readers]);
  await Promise.all(readings);
  expect([...faults]).toEqual([]);
  await Promise.all(apis.map((api) => api.close()));
});
