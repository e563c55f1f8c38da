import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { signUp } from '@gatebook/commands/testing/people';
import { contextOf, createWorld, testMasterKey, type World } from '@gatebook/commands/testing/world';
import { DomainError } from '@gatebook/domain/errors';
import { startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { runProjector } from '@gatebook/projections/run-projector';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { createReadModels } from '@gatebook/projections/wait';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { createIdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { createCodeKeys } from '@gatebook/worker/jobs/expired-code-keys';
import { createEraser } from '@gatebook/worker/reactors/erase-subjects';
import { afterEach, describe, expect, test } from 'vitest';
import { prepareDatabase } from '../database/prepare.ts';
import { openLog } from '../open-log.ts';

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

/** Two processes that execute commands on one log, a projector, and a worker that finishes erasures. */
async function startProcesses(place: 'postgres' | 'eventstoredb') {
  const database = await testDatabase();
  closes.push(() => database.close());
  await prepareDatabase(database.url, { rolePrefix: null, hasJobs: false });
  const simulator = place === 'postgres' ? null : await startSimulator();
  if (simulator) closes.push(() => simulator.close());
  const shutdown = createShutdown(logger);
  closes.push(() => shutdown.run());
  const open = () =>
    openLog({
      databaseUrl: database.url,
      eventStore: { url: simulator?.url ?? null, streamPrefix: '' },
      masterKey: testMasterKey,
      logger,
      shutdown,
    });
  const logs = [await open(), await open(), await open()] as const;
  const [one, other, worker] = [await createWorld(logs[0]), await createWorld(logs[1]), await createWorld(logs[2])];
  const { store, pool, listener } = logs[2];
  const activity = createActivity({ pool, logger });
  closes.push(() => activity.close());
  const codeKeys = createCodeKeys(pool, worker.deps.eraseSubject);
  const idempotencyRecords = createIdempotencyRecords(pool);
  const eraser = createEraser({
    ...{ write: worker.deps, activity, codeKeys, idempotencyRecords },
    forgetWebhooks: (of) => forgetWebhooks(database.pool, of),
  });
  const stop = new AbortController();
  const running = [
    runProjector({ store, pool, group: mainGroup, logger }, stop.signal),
    runReactor({ store, pool, logger }, eraser, stop.signal),
  ];
  closes.push(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  closes.push(() => readModels.close());
  await readModels.ready();
  const atHead = async () => {
    const head = await store.head();
    const { rows } = await pool.query<{ position: string }>(`select position from readmodel.subscriptions`);
    return (await readModels.reached(head)) === 'reached' && BigInt(rows[0]?.position ?? 0) >= head;
  };
  return { database, worlds: [one, other] as const, logs, worker, atHead };
}

/** Rows of the live read models that contain a text, by table. */
async function tablesWith({ pool }: TestDatabase, text: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname ~ '^(main_|activity$|requests$)'`,
  );
  const found: Record<string, number> = {};
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`select from ${name} t where strpos(lower(t::text), $1) > 0`, [text]);
    if (rowCount) found[name] = rowCount;
  }
  return found;
}

const inFlight = 40;
const password = 'correct horse';

/** Signs up 40 people at two processes, and deletes the project once `after` of them have a response. */
async function deleteDuringSignUps(worlds: readonly [World, World], name: string, after: number) {
  const [one, other] = worlds;
  const ownerUserId = one.deps.newId();
  const { projectId } = await createProject(one.deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  const ctx = contextOf(projectId);
  let responses = 0;
  const enough = Promise.withResolvers<void>();
  const signingUp = Array.from({ length: inFlight }, async (_, n) => {
    try {
      return await signUp((n % 2 === 0 ? one : other).deps, ctx, { email: `${name}-${n}@example.com`, password });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'PROJECT_NOT_FOUND') throw error;
      return null;
    } finally {
      responses += 1;
      if (responses >= after) enough.resolve();
    }
  });
  if (after > 0) await enough.promise;
  await deleteProject(other.deps, ctx);
  const outcomes = await Promise.all(signingUp);
  return { projectId, signedUp: outcomes.filter((outcome) => outcome !== null).length };
}

/** The project is deleted after this many responses. */
const responsesBefore = sampleOf([0, 1, 5, 12, 30], 1);

describe.each(['postgres', 'eventstoredb'] as const)('a project that is deleted during sign-ups, in %s', (place) => {
  test('leaves no event after its closure, no key that can be opened, and no personal row', async () => {
    const { database, worlds, logs, worker, atHead } = await startProcesses(place);
    const accepted: number[] = [];
    for (const after of responsesBefore) {
      const { projectId, signedUp } = await deleteDuringSignUps(worlds, `zq7canary${after}`, after);
      accepted.push(signedUp);
      await expect.poll(atHead, { timeout: 20_000 }).toBe(true);
      const ofProject = (await worker.deps.store.readAll(0n, 10_000)).filter(
        ({ metadata }) => metadata.projectId === projectId,
      );
      if (place === 'postgres') expect(ofProject.at(-1)?.type).toBe('ProjectClosed');
      expect(JSON.stringify(ofProject.map(({ data }) => data))).not.toContain('zq7canary');
      const ids = ofProject.flatMap(({ data }) => Object.values(data).filter((value) => typeof value === 'string'));
      for (const { keyring } of logs) {
        expect([...(await keyring.open(ids)).values()].filter((key) => key !== null)).toEqual([]);
      }
      const left = 'select from keys.subjects where project_id = $1 and wrapped is not null';
      expect((await database.pool.query(left, [projectId])).rowCount).toBe(0);
      await expect.poll(() => tablesWith(database, 'zq7canary'), { timeout: 20_000 }).toEqual({});
    }
    expect(Math.max(...accepted)).toBeGreaterThanOrEqual(Math.max(...responsesBefore));
    expect(Math.min(...accepted)).toBeLessThan(inFlight);
  });
});
