import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operationsView } from '@gatebook/api/routes/operations/status';
import { queueStuck } from '@gatebook/projections/operations/problems';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { checkReadiness } from '@gatebook/projections/operations/readiness';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import { createRecord, silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { findLastExpiry } from '@gatebook/readmodel/activity/rejection-rows';
import { createPool } from '@gatebook/runtime/postgres';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { reportedProblems, reportProblems } from '@gatebook/worker/queue/queue-reports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLogHistory } from '../log-history.ts';
import { createMetrics } from '../observability/metrics.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import { recordUncachedUser } from '../testing/uncached-user.ts';
import { healthParts } from './health.ts';

let operator: TestOperator;
const metrics = createMetrics({ role: 'api' });
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  operator = await openTestOperator();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await operator.close();
});

/** What `/health/ready` and the metrics of a process show, and the Operations page. */
async function look() {
  const { pool, accountPool, store, config } = operator;
  const parts = {
    ...healthParts,
    neededLeaders: [],
    operations: () => operationsStatus(pool),
    findHistory: () => readLogHistory(accountPool, config),
    findQueueProblems: () => reportedProblems(accountPool),
    store,
    logger,
    logAdapter: 'postgres',
    rejections: { findLastExpiry: () => findLastExpiry(accountPool) },
  };
  const readiness = await checkReadiness(parts);
  const [page, view] = [await metrics.page(readiness, []), await operationsView(parts, 'en')];
  expect(view.problems).toEqual(readiness.problems);
  const lines = page.text.split('\n').filter((line) => !line.startsWith('#'));
  return { ...readiness, view, lines, problemLines: lines.filter((line) => line.startsWith('gatebook_problems')) };
}

type Expected = { code: string; part?: string | null; isReady?: boolean; message: RegExp };

/** Waits until everything shows this problem and no other. */
async function expectProblem({ code, part = null, isReady = true, message }: Expected): Promise<void> {
  const seen = async () => (await look()).problems.map((one) => one.code);
  await expect.poll(seen).toEqual([code]);
  const { problems, problemLines, ...rest } = await look();
  const severity = isReady ? 'warning' : 'critical';
  expect(problems).toEqual([{ severity, code, part, message: expect.stringMatching(message) }]);
  expect(problemLines).toEqual([`gatebook_problems{code="${code}",severity="${severity}"} 1`]);
  expect(rest.isReady).toBe(isReady);
}
const expectNone = () => expect.poll(async () => (await look()).problems).toEqual([]);

const record = (requestId: string) =>
  operator.record(`request-${requestId}`, { type: 'RequestDecided', data: { requestId, at } });

test('a missing or old backup is a problem until gatebook backup has run, and the last one is shown', async () => {
  await operator.startServer();
  await expectNone();
  await operator.accountPool.query(`update log.epochs set began_at = now() - interval '8 days'`);
  await expectProblem({ code: 'backup_old', message: /^There is no backup, after 8 days\. Run gatebook backup/ });
  expect((await look()).view.last_backup).toBeNull();

  const folder = await mkdtemp(join(tmpdir(), 'gatebook-backup-'));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'one.backup');
  expect((await operator.run(`backup ${file}`)).code).toBe(0);
  await expectNone();
  const made = await look();
  expect(made.view.last_backup).toEqual({ finished_at_millis: expect.any(Number), verified_at_millis: null });
  expect(made.lines.filter((line) => line.startsWith('gatebook_last_backup'))).toEqual([
    expect.stringMatching(/^gatebook_last_backup_timestamp_seconds \d+/),
  ]);
  expect((await operator.run('doctor')).output).toMatch(/ok +backup +made within a day, not verified/);

  expect((await operator.run(`backup verify ${file}`)).output).not.toContain('not recorded');
  const verified = await look();
  expect(verified.view.last_backup?.verified_at_millis).toEqual(expect.any(Number));
  expect(verified.lines).toContainEqual(expect.stringMatching(/^gatebook_last_backup_verified_timestamp_seconds \d+/));
  expect((await operator.run('doctor')).output).toMatch(/ok +backup +made within a day, verified/);

  await operator.accountPool.query(`update backups.made set finished_at = now() - interval '9 days'`);
  await expectProblem({ code: 'backup_old', message: /^The last backup is 9 days old\. Run gatebook backup/ });
  const off = { ...operator.config, backups: { dueDays: null } };
  expect((await readLogHistory(operator.pool, off)).backupDueDays).toBeNull();
});

test('a log that has lost events is shown for three days, and the installation works', async () => {
  await operator.startServer();
  await operator.accountPool.query('select log.begin_epoch((select epoch from log.epochs), 0)');
  await expectProblem({ code: 'log_fell_back', message: /revoked keys.*See "When the log falls back"/ });
  const { view, lines } = await look();
  expect(view.log.fell_back_at_millis).toEqual(expect.any(Number));
  expect(lines).toContainEqual(expect.stringMatching(/^gatebook_log_fell_back_timestamp_seconds \d+/));
  await operator.accountPool.query(`update log.epochs set began_at = now() - interval '4 days'`);
  await expectNone();
});

async function expectQuarantines(error: string, groups: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await look()).view.quarantines)
    .toMatchObject(groups.map((subscription) => ({ subscription, error: expect.stringContaining(error) })));
}

test('a lost key is shown with the command that declares it lost', async () => {
  const userId = randomUUID();
  await recordUncachedUser(operator, userId);
  await operator.accountPool.query('delete from keys.subjects');
  await operator.startServer();
  await expectProblem({
    code: 'key_lost',
    part: 'shop',
    message: /because the key of a subject is lost\. .*declare-lost/,
  });
  expect((await look()).lines).toContain('gatebook_quarantined_projects 1');
  await expectQuarantines(userId, ['main', 'metrics', 'past']);
});

test('an event that cannot be applied is shown with its project', async () => {
  await operator.startServer();
  const teamId = randomUUID();
  // Postgres stores no zero bytes.
  const inShop = createRecord(operator.store, { ...testMetadata, projectId: 'shop' });
  await inShop(`team-${teamId}`, {
    type: 'TeamCreated',
    data: {
      ...{ teamId, projectId: 'shop', subjectId: teamId, displayName: 'a\u0000b', profileImageUrl: null, at },
      ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null, creatorId: null },
    },
  });
  await expectProblem({ code: 'project_quarantined', part: 'shop', message: /fix the cause, and retry/ });
  expect((await look()).lines).toContain('gatebook_quarantined_projects 1');
  await expectQuarantines('TeamCreated', ['main', 'past']);
});

test('a stuck queue is shown by processes without queues while the leading worker reports it', async () => {
  await operator.startServer();
  await reportProblems(operator.accountPool, [queueStuck('emails', 11 * 60_000)]);
  await expectProblem({
    code: 'queue_stuck',
    part: 'emails',
    isReady: false,
    message: /has waited for 660 s\. Read the logs of the workers and restart them/,
  });
  await operator.accountPool.query(`update worker.queue_reports set reported_at = now() - interval '2 minutes'`);
  await expectNone();
});

test('a reactor whose checkpoint is lost is shown with the command that sets it back, while it runs', async () => {
  await operator.startServer();
  const positions = [await record('1'), await record('2')];
  await operator.accountPool.query(
    `insert into readmodel.subscriptions (name, position, event_id) values ('emails', 2, gen_random_uuid())`,
  );
  const pool = createPool(operator.database.url, { max: 2, name: 'reactor' });
  const [stopping, acted] = [new AbortController(), [] as bigint[]];
  const react = async ({ position }: { position: bigint }) => void acted.push(position);
  const parts = { store: operator.store, pool, logger, retryPauseMs: 20 };
  const ended = runReactor(parts, { name: 'emails', react }, stopping.signal);
  closers.push(async () => {
    stopping.abort();
    await ended;
    await pool.end();
  });
  const part = 'emails';
  const message = /the log has lost\. Run gatebook reactors reset emails\.$/;
  await expectProblem({ code: 'reactor_checkpoint_lost', part, isReady: false, message });

  expect(await operator.run('reactors reset nobody --yes')).toMatchObject({ code: 2 });
  expect(await operator.run('reactors reset emails --after 9 --yes')).toMatchObject({ code: 2 });
  expect(await operator.run('reactors reset emails')).toMatchObject({ code: 4 });
  expect(acted).toEqual([]);
  const { code, output } = await operator.run('reactors reset emails --after 1 --yes');
  expect([code, output]).toEqual([0, expect.stringContaining('emails continues after position 1')]);
  await expect.poll(() => acted).toEqual(positions.slice(1));
  await expectNone();
  expect((await operator.run('reactors reset emails --yes')).code).toBe(0);
  await expect.poll(() => acted.slice(1)).toEqual(positions);
});

test('a projection whose checkpoint is lost is shown with the command that rebuilds it, while it is read', async () => {
  const stop = await operator.startServer();
  await record('1');
  await expect.poll(async () => (await look()).lag).toBe(0);
  await stop();
  await operator.accountPool.query(
    `update readmodel.projection_shards set position = 7, event_id = gen_random_uuid()
     where version_id in (select id from readmodel.projection_versions where group_name = 'main')`,
  );
  await operator.startServer();
  const part = 'main';
  const message = /the log has lost\. Run gatebook projections rebuild main --promote\.$/;
  await expectProblem({ code: 'projection_checkpoint_lost', part, isReady: false, message });
  expect(await operator.run('projections rebuild main --promote')).toMatchObject({ code: 0, errors: '' });
  await expectNone();
  const [lost, live] = await listProjectionVersions(operator.pool, 'main');
  expect([lost?.status, live?.status, live?.position]).toEqual(['previous', 'live', 1n]);
  expect((await operator.run('projections rollback main')).errors).toContain('has stopped');
});
