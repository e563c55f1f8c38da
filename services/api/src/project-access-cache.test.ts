import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogTail, type LogTail } from '@gatebook/projections/log-tail';
import { silentLogger } from '@gatebook/projections/testing/test-log';
import type { ProjectAccess } from '@gatebook/readmodel/projects/queries';
import { createGatebookLog } from '@gatebook/readmodel/testing/read-side';
import { sized } from '@gatebook/runtime/testing/campaign';
import { describe, expect, test } from 'vitest';
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

describe('with many projects', () => {
  const collectGarbage = () => {
    setFlagsFromString('--expose_gc');
    runInNewContext('gc')();
  };
  const heapMegabytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const domains = () =>
    Array.from({ length: 3_000 }, (_, index) => ({
      domain: `https://shop-${index}.example.com`,
      handlerPath: '/handler',
    }));
  const createCache = (
    load: (id: string) => ProjectAccess | null,
    reached = async (_: bigint | null) => 'reached' as const,
  ) =>
    createProjectAccessCache({
      tail: { add: () => undefined } as unknown as LogTail,
      peers: { canCache: () => true, announce: () => undefined, allPassed: async () => undefined },
      load: async (id) => load(id),
      reached,
    });

  test('of 3,000 domains each, the cache stays small and keeps the projects used last', {
    timeout: 600_000,
  }, async () => {
    const projects = sized({ inTest: 400, inCampaign: 10_000 });
    let loads = 0;
    const cache = createCache((id) => {
      loads += 1;
      return { project: { id, config: { domains: domains() } }, keys: [] } as unknown as ProjectAccess;
    });
    const before = heapMegabytes();
    for (let index = 0; index < projects; index += 1) {
      await cache.find(`p${index}`);
      await cache.find('busy');
    }
    expect(heapMegabytes() - before).toBeLessThan(90);
    expect(loads).toBe(projects + 1);
    await cache.find(`p${projects - 10}`);
    expect(loads).toBe(projects + 1);
    await cache.find('p0');
    expect(loads).toBe(projects + 2);
  });

  test('that do not exist, the cache forgets long IDs sooner', async () => {
    let loads = 0;
    const cache = createCache(() => {
      loads += 1;
      return null;
    });
    const idOf = (index: number) => `${index}${'x'.repeat(65_000)}`;
    for (let index = 0; index < 600; index += 1) await cache.find(idOf(index));
    await cache.find(idOf(599));
    expect(loads).toBe(600);
    await cache.find(idOf(0));
    expect(loads).toBe(601);
  });

  test('that were changed and never read again, a read still waits for the change of its project', async () => {
    const waitedFor: (bigint | null)[] = [];
    const cache = createCache(
      () => accessOf('any'),
      async (position) => {
        waitedFor.push(position);
        return 'reached' as const;
      },
    );
    for (let position = 1n; position <= 10_010n; position += 1n) await cache.forget(`p${position}`, position);
    for (const id of ['p10010', 'p11', 'p10', 'p3', 'unknown']) await cache.find(id);
    expect(waitedFor).toEqual([10_010n, 11n, 10n, 10n, 10n]);
  });
});
