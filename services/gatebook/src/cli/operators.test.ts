import { randomBytes } from 'node:crypto';
import type { DomainEvent } from '@gatebook/domain/event';
import { migratePeers } from '@gatebook/projections/peers/peers';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { testMetadata } from '@gatebook/projections/testing/test-log';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { migrateEmailLimits } from '@gatebook/worker/jobs/email-limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LineOptions } from '../testing/run-line.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import type { Progress, Terminal } from './cli-context.ts';

let operator: TestOperator;
const run = (line: string, options?: LineOptions) => operator.run(line, options);
const startServer = () => operator.startServer();

const userId = '00000000-0000-4000-8000-000000000001';
const ann: DomainEvent = {
  type: 'UserCreated',
  data: {
    userId,
    projectId: 'internal',
    displayName: 'Ann Achebe',
    profileImageUrl: null,
    isAnonymous: false,
    method: 'password',
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    at,
  },
};
const renamed = (displayName: string | null): DomainEvent => ({
  type: 'UserRenamed',
  data: { userId, displayName, at },
});

beforeEach(async () => {
  operator = await openTestOperator();
  await Promise.all([migrateEmailLimits(operator.pool), migratePeers(operator.pool)]);
  await operator.record(`user-${userId}`, ann, renamed(null), renamed('Ann'));
});
afterEach(() => operator.close());

/** A terminal that gives every question the same answer. */
function fakeTerminal(answer: boolean) {
  const shown: Progress[] = [];
  const questions: string[] = [];
  let isBarStopped = false;
  const terminal: Terminal = {
    confirm: async (question) => {
      questions.push(question);
      return answer;
    },
    startBar: () => ({
      show: (progress) => shown.push(progress),
      stop: () => {
        isBarStopped = true;
      },
    }),
  };
  return { terminal, shown, questions, isBarStopped: () => isBarStopped };
}
const statesOf = async (group: string) =>
  (await listProjectionVersions(operator.pool, group)).map(({ schema, status }) => `${schema} ${status}`);

describe('projections', () => {
  test('list shows projection versions and subscriptions with their positions', async () => {
    await startServer();
    const { output, code } = await run('projections list');
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`main +main_g\\d+ +${mainGroup.version} +live +3 +0`));
    const [listed] = (await run('projections list --json')).lines();
    expect(listed).toMatchObject({
      head: '3',
      projection_versions: expect.arrayContaining([
        expect.objectContaining({
          group: 'main',
          code_version: mainGroup.version,
          state: 'live',
          position: '3',
          lag: '0',
          error: null,
        }),
      ]),
      subscriptions: [],
    });
  });

  test('rebuild, diff, promote, rollback and drop work while a server runs', async () => {
    await startServer();
    const rebuilt = await run('projections rebuild --json');
    expect(rebuilt.code).toBe(0);
    const events = rebuilt.lines().map(({ event }) => event);
    expect([events[0], events.at(-2), events.at(-1)]).toEqual(['requested', 'ready', 'standby']);
    const { projection_version: projectionVersion } = rebuilt.lines()[0];
    expect((await run('projections list')).output).toContain('standby');

    expect(await run('projections diff')).toMatchObject({
      code: 0,
      output: expect.stringContaining('All rows are equal.'),
    });
    await operator.pool.query(`update ${projectionVersion}.users set display_name = 'Eve'`);
    const different = await run('projections diff --json');
    expect(different.code).toBe(5);
    expect(different.lines()[0]).toMatchObject({ other: projectionVersion, position: '3', is_equal: false });
    expect(different.lines()[0].tables.find(({ table }: { table: string }) => table === 'users')).toEqual({
      table: 'users',
      rows_live: 1,
      rows_other: 1,
      only_live: 0,
      only_other: 0,
      changed: 1,
      first: [{ key: { id: userId }, how: 'changed', columns: ['sort_name', 'search_text', 'display_name'] }],
    });
    const text = await run('projections diff');
    expect(text.output).toContain(`id=${userId}  differs in sort_name, search_text, display_name`);
    expect(text.output + text.errors).not.toContain('Eve');
    await operator.pool.query(`update ${projectionVersion}.users set display_name = 'Ann'`);

    const [first] = await statesOf('main');
    expect((await run('projections promote')).output).toContain(`${projectionVersion} is now live for main.`);
    expect(await statesOf('main')).toEqual([first?.replace('live', 'previous'), `${projectionVersion} live`]);
    expect(await run(`projections drop ${projectionVersion}`)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is live'),
    });
    expect((await run('projections rollback --json')).lines()).toEqual([
      { event: 'rolled_back', projection_version: first?.split(' ')[0] },
    ]);
    expect((await run(`projections drop ${projectionVersion}`)).output).toBe(`Dropped ${projectionVersion}.`);
    expect(await statesOf('main')).toEqual([first]);
  });

  test('rebuild --promote builds and promotes where no server runs', async () => {
    await (await startServer())();
    const { code, output } = await run('projections rebuild metrics --promote');
    expect(code).toBe(0);
    expect(output).toMatch(/metrics_g\d+ is now live for metrics\./);
    expect((await statesOf('metrics')).map((state) => state.split(' ')[1])).toEqual(['previous', 'live']);
  });

  test.each([
    [true, 'live'],
    [false, 'building'],
  ])('rebuild on a terminal draws a bar and asks; after the answer %s the version is %s', async (answer, state) => {
    await startServer();
    const { terminal, shown, questions, isBarStopped } = fakeTerminal(answer);
    const { code } = await run('projections rebuild', { terminal });
    expect(code).toBe(0);
    expect(shown.at(-1)).toMatchObject({ position: 3, total: 3 });
    expect(isBarStopped()).toBe(true);
    expect(questions).toEqual([expect.stringMatching(/^Promote main_g\d+ now\?$/)]);
    expect((await statesOf('main')).at(-1)).toContain(state);
  });

  test('Ctrl-C stops the command, not the rebuild', async () => {
    await (await startServer())();
    const stop = new AbortController();
    stop.abort();
    const { code, output } = await run('projections rebuild', { stop: stop.signal });
    expect(code).toBe(0);
    expect(output).toMatch(/The build of main_g\d+ continues/);
    expect((await statesOf('main')).at(-1)).toContain('building');
  });

  test.each([
    ['projections rebuild nothing', 2, 'There is no projection group nothing'],
    ['projections diff', 1, 'There is only one projection version of main'],
    ['projections diff --with main_g99', 1, 'Projection version main_g99 does not exist'],
    ['projections promote', 1, 'Projection group main has no standby'],
    ['projections rollback', 1, 'Projection group main has no previous projection version'],
    ['projections drop main_g99', 1, 'Projection version main_g99 does not exist'],
    ['projections fly', 2, "unknown command 'fly'"],
  ])('%s exits with %i', async (line, code, words) => {
    await startServer();
    expect(await run(line)).toMatchObject({ code, errors: expect.stringContaining(words) });
  });
});

describe('events', () => {
  test('show prints the events of a stream, with personal data only if --reveal is given', async () => {
    const { code, output } = await run(`events show user-${userId}`);
    expect(code).toBe(0);
    expect(output).toContain(`1  ${at}  UserCreated  user-${userId}@0  by client`);
    expect(output).toContain('displayName: (hidden)');
    expect(output).toContain('profileImageUrl: null');
    expect(output).not.toContain('Ann');
    expect((await run(`events show user-${userId} --reveal`)).output).toContain('displayName: Ann Achebe');
    const lines = (await run(`events show user-${userId} --json`)).lines();
    expect(lines.map(({ type, position, data }) => [type, position, data.displayName])).toEqual([
      ['UserCreated', '1', '(hidden)'],
      ['UserRenamed', '2', null],
      ['UserRenamed', '3', '(hidden)'],
    ]);
    expect(await run('events show user-x')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('no stream user-x'),
    });
  });

  test('show prints where a request came from only if --reveal is given', async () => {
    const origin = { ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
    const metadata = { ...testMetadata, actor: { kind: 'user' as const, id: userId }, origin };
    await operator.store.append([{ stream: `user-${userId}`, expected: 2n, events: [renamed('Ann B.')] }], metadata);
    const shownOrigin = async (options: string) =>
      (await run(`events show user-${userId} --json ${options}`.trim())).lines().at(-1)?.metadata.origin;
    expect(await shownOrigin('')).toBe('(hidden)');
    expect(await shownOrigin('--reveal')).toEqual(origin);
  });

  test('tail prints the newest matching events', async () => {
    const positions = async (line: string) =>
      (await run(`events tail --no-follow --json ${line}`.trim())).lines().map(({ position }) => position);
    expect(await positions('')).toEqual(['1', '2', '3']);
    expect(await positions('--last 2')).toEqual(['2', '3']);
    expect(await positions('--after 2')).toEqual(['3']);
    expect(await positions('--type UserCreated --stream user-')).toEqual(['1']);
    expect((await run('events tail --no-follow --stream team-')).output).toBe('');
    expect(await run('events tail --no-follow --type Nothing')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('type Nothing'),
    });
    expect(await run('events tail --after x')).toMatchObject({ code: 2 });
  });

  test('tail prints new events until Ctrl-C', async () => {
    const stop = new AbortController();
    const following = run('events tail --last 1 --json', {
      stop: stop.signal,
      onLine: (line) => {
        if (JSON.parse(line).position === '4') stop.abort();
      },
    });
    await operator.record(`user-${userId}`, renamed('Cem'));
    const { code, lines } = await following;
    expect(code).toBe(0);
    expect(lines().at(-1)).toMatchObject({ position: '4', data: { displayName: '(hidden)' } });
  });
});

describe('doctor', () => {
  const runDoctor = async (env: Record<string, string> = {}) => {
    const { code, lines } = await run('doctor --json', { env });
    const [{ is_healthy, checks }] = lines();
    const failed = checks.filter(({ state }: { state: string }) => state === 'failed');
    return { code, isHealthy: is_healthy, failed, checks };
  };

  test('doctor prints a line for each check of a healthy installation', async () => {
    await startServer();
    const { code, isHealthy, checks } = await runDoctor();
    expect([code, isHealthy]).toEqual([0, true]);
    expect(checks.map((check: { name: string; state: string }) => `${check.state} ${check.name}`)).toEqual([
      'ok program',
      'ok configuration',
      'note server',
      'note Redis',
      'note SMTP server',
      'ok database',
      'ok clock',
      'ok disk',
      'ok migrations',
      'note backup',
      'ok log',
      'ok subject keys',
      'ok master key',
      'ok subscription audit',
      'ok subscription events',
      'ok subscription main',
      'ok subscription metrics',
      'ok subscription past',
      'ok leaders',
    ]);
    expect((await run('doctor')).output).toMatch(/^ok +program +Gatebook/);
  });

  test('doctor reports each problem with advice', async () => {
    await startServer();
    const faultOf = async (settings: Record<string, string>) => {
      const { code, failed } = await runDoctor(settings);
      expect([code, failed.length]).toEqual([5, 1]);
      return failed[0];
    };
    expect(await faultOf({ GATEBOOK_COLOR: 'red' })).toMatchObject({ name: 'configuration' });
    expect(await faultOf({ GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64') })).toMatchObject({
      name: 'log',
      advice: expect.stringContaining('GATEBOOK_MASTER_KEY'),
    });
    expect(await faultOf({ GATEBOOK_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject({
      name: 'database',
    });
    expect(await faultOf({ REDIS_URL: 'redis://127.0.0.1:1' })).toMatchObject({
      name: 'Redis',
      advice: expect.stringContaining('REDIS_URL'),
    });

    await operator.pool.query(
      `update readmodel.projection_shards set stopped_error = 'event 3 is faulty'
       where version_id in (select id from readmodel.projection_versions where group_name = 'main')`,
    );
    expect(await faultOf({})).toMatchObject({ name: 'subscription main', finding: 'event 3 is faulty' });
    await operator.accountPool.query(`delete from readmodel.migrations where file = '003-standby.sql'`);
    expect(await faultOf({})).toMatchObject({ name: 'migrations', finding: 'pending: readmodel/003-standby.sql' });
  });
});
