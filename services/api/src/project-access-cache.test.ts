import { createLogTail } from '@gatebook/projections/log-tail';
import { silentLogger } from '@gatebook/projections/testing/test-log';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createGatebookLog } from '@gatebook/readmodel/testing/read-side';
import { expect, test } from 'vitest';
import { createProjectAccessCache } from './project-access-cache.ts';

const projectId = 'p1';
const ownerAdded = {
  type: 'ProjectOwnerAdded',
  data: { projectId, userId: '00000000-0000-4000-8000-000000000001', at: '2026-01-15T12:00:00.000Z' },
};
const accessOf = (displayName: string) => ({ project: { displayName } }) as ProjectAccess;

/** A cache over a log in memory; what is loaded is whatever `rows` holds. */
async function setUp() {
  const log = await createGatebookLog();
  const state = {
    rows: 'first',
    loads: 0,
    reached: 'reached' as 'reached' | 'behind',
    waitedFor: [] as (bigint | null)[],
    canCache: true,
    waitedForPeers: [] as bigint[],
  };
  const tail = createLogTail({ store: log.store, logger: silentLogger });
  const said: bigint[] = [];
  const peers = {
    canCache: () => state.canCache && tail.followed() !== null,
    announce: (position: bigint) => void said.push(position),
    allPassed: async (position: bigint) => void state.waitedForPeers.push(position),
  };
  const cache = createProjectAccessCache({
    tail,
    peers,
    load: async () => {
      state.loads += 1;
      return accessOf(state.rows);
    },
    reached: async (position) => {
      state.waitedFor.push(position);
      return state.reached;
    },
  });
  const stop = new AbortController();
  const followed = tail.follow(stop.signal);
  await expect.poll(() => tail.followed()).not.toBeNull();
  const close = async () => {
    stop.abort();
    await followed;
  };
  const name = async () => (await cache.find(projectId))?.project.displayName;
  return { log, cache, state, said, close, name };
}

test('concurrent lookups read a project once', async () => {
  const { cache, state, close } = await setUp();
  await Promise.all([cache.find(projectId), cache.find(projectId)]);
  await cache.find(projectId);
  expect(state.loads).toBe(1);
  await close();
});

test('the next lookup waits for and sees the writes of this process', async () => {
  const { cache, state, close, name } = await setUp();
  expect(await name()).toBe('first');
  state.rows = 'second';
  await cache.forget(projectId, 7n);
  expect(await name()).toBe('second');
  expect(state.waitedFor.at(-1)).toBe(7n);
  expect(state.waitedForPeers).toEqual([7n]);
  await close();
});

test('a write of another process becomes visible when its event arrives and is then announced to peers', async () => {
  const { log, state, said, close, name } = await setUp();
  expect(await name()).toBe('first');
  state.rows = 'second';
  const position = await log.record(`project-${projectId}`, ownerAdded);
  await expect.poll(name).toBe('second');
  expect(state.waitedFor.at(-1)).toBe(position);
  expect(said).toEqual([position]);
  await close();
});

test('events of other streams and projects keep the cached entry', async () => {
  const { log, cache, state, close } = await setUp();
  await cache.find(projectId);
  await log.record('project-p2', { ...ownerAdded, data: { ...ownerAdded.data, projectId: 'p2' } });
  await new Promise((resolve) => setTimeout(resolve, 10));
  await cache.find(projectId);
  expect(state.loads).toBe(1);
  await close();
});

test('rows older than a known write are not cached', async () => {
  const { cache, state, close, name } = await setUp();
  await cache.forget(projectId, 7n);
  state.reached = 'behind';
  expect(await name()).toBe('first');
  state.reached = 'reached';
  state.rows = 'second';
  expect(await name()).toBe('second');
  expect(await name()).toBe('second');
  expect(state.loads).toBe(2);
  await close();
});

test('a write during a read causes another read', async () => {
  const log = await createGatebookLog();
  const names = ['old', 'new'];
  let loads = 0;
  const cache = createProjectAccessCache({
    tail: createLogTail({ store: log.store, logger: silentLogger }),
    peers: { canCache: () => true, announce: () => undefined, allPassed: async () => undefined },
    load: async () => {
      const found = accessOf(names[loads] ?? 'none');
      loads += 1;
      if (loads === 1) await cache.forget(projectId, 3n);
      return found;
    },
    reached: async () => 'reached',
  });
  expect((await cache.find(projectId))?.project.displayName).toBe('new');
});

test('without a subscription nothing is cached', async () => {
  const { cache, state, close } = await setUp();
  await close();
  await cache.find(projectId);
  await cache.find(projectId);
  expect(state.loads).toBe(2);
});

test('a process without a cache lease caches nothing and ignores what it cached before', async () => {
  const { cache, state, close, name } = await setUp();
  expect(await name()).toBe('first');
  state.canCache = false;
  state.rows = 'second';
  expect(await name()).toBe('second');
  await cache.find(projectId);
  expect(state.loads).toBe(3);
  await close();
});
