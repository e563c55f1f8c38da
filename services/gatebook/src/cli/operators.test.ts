import { randomBytes } from 'node:crypto';
import type { DomainEvent } from '@gatebook/domain/event';
import { migratePeers } from '@gatebook/readmodel/peers/peers';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { listProjectionVersions } from '@gatebook/readmodel/projection-versions';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { migrateEmailLimits } from '@gatebook/worker/jobs/email-limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LineOptions } from '../testing/run-line.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import type { Progress, Terminal } from './surroundings.ts';

let operator: TestOperator;
const run = (line: string, options?: LineOptions) => operator.run(line, options);
const startServer = () => operator.startServer();

const userId = '00000000-0000-4000-8000-000000000001';
const ann: DomainEvent = {
  type: 'UserCreated',
  data: {
    ...{ userId, projectId: 'internal', displayName: 'Ann Achebe', profileImageUrl: null, isAnonymous: false, at },
    ...{ method: 'password', clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null },
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

/** Somebody who answers every question the same way. */
function watcher(answer: boolean) {
  const shown: Progress[] = [];
  const asked: string[] = [];
  let isOver = false;
  const terminal: Terminal = {
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    startBar: () => ({
      show: (progress) => shown.push(progress),
      stop: () => {
        isOver = true;
      },
    }),
  };
  return { terminal, shown, asked, isOver: () => isOver };
}
const statesOf = async (set: string) =>
  (await listProjectionVersions(operator.pool, set)).map(({ schema, status }) => `${schema} ${status}`);

describe('projections', () => {
  test('list says where everything is', async () => {
    await startServer();
    const { said, code } = await run('projections list');
    expect(code).toBe(0);
    expect(said).toMatch(new RegExp(`main +main_g\\d+ +${mainGroup.version} +live +3 +0`));
    const [told] = (await run('projections list --json')).lines();
    expect(told).toMatchObject({
      head: '3',
      projectionVersions: expect.arrayContaining([
        expect.objectContaining({
          set: 'main',
          version: mainGroup.version,
          state: 'live',
          position: '3',
          lag: '0',
          error: null,
        }),
      ]),
      subscriptions: [],
    });
  });

  test('rebuild is done by the server’s projectors; diff, switch, back and drop', async () => {
    await startServer();
    const rebuilt = await run('projections rebuild --json');
    expect(rebuilt.code).toBe(0);
    const events = rebuilt.lines().map(({ event }) => event);
    expect([events[0], events.at(-2), events.at(-1)]).toEqual(['asked', 'ready', 'waiting']);
    const { projectionVersion } = rebuilt.lines()[0];
    expect((await run('projections list')).said).toContain('waiting');

    expect(await run('projections diff')).toMatchObject({
      code: 0,
      said: expect.stringContaining('Every row is the same.'),
    });
    await operator.pool.query(`update ${projectionVersion}.users set display_name = 'Eve'`);
    const different = await run('projections diff --json');
    expect(different.code).toBe(5);
    expect(different.lines()[0]).toMatchObject({ other: projectionVersion, position: '3', is_equal: false });
    expect(different.lines()[0].tables.find(({ table }: { table: string }) => table === 'users')).toEqual({
      ...{ table: 'users', rows_live: 1, rows_other: 1, only_live: 0, only_other: 0, changed: 1 },
      first: [{ key: { id: userId }, how: 'changed', columns: ['display_name'] }],
    });
    const text = await run('projections diff');
    expect(text.said).toContain(`id=${userId}  differs in display_name`);
    expect(text.said + text.complaints).not.toContain('Eve');
    await operator.pool.query(`update ${projectionVersion}.users set display_name = 'Ann'`);

    const [first] = await statesOf('main');
    expect((await run('projections switch')).said).toContain(`main is read from ${projectionVersion} now`);
    expect(await statesOf('main')).toEqual([first?.replace('live', 'previous'), `${projectionVersion} live`]);
    expect(await run(`projections drop ${projectionVersion}`)).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('is being read'),
    });
    expect((await run('projections switch --back --json')).lines()).toEqual([
      { event: 'switched', projectionVersion: first?.split(' ')[0] },
    ]);
    expect((await run(`projections drop ${projectionVersion}`)).said).toBe(`${projectionVersion} is dropped.`);
    expect(await statesOf('main')).toEqual([first]);
  }, 30_000);

  test('rebuild is done by itself where no server runs, and switches when told to', async () => {
    await (await startServer())();
    const { code, said } = await run('projections rebuild metrics --switch');
    expect(code).toBe(0);
    expect(said).toMatch(/metrics is read from metrics_g\d+ now/);
    expect((await statesOf('metrics')).map((state) => state.split(' ')[1])).toEqual(['previous', 'live']);
  }, 30_000);

  test.each([
    [true, 'live'],
    [false, 'building'],
  ])(
    'on a terminal it draws a bar and asks; the answer %s leaves it %s',
    async (answer, state) => {
      await startServer();
      const { terminal, shown, asked, isOver } = watcher(answer);
      const { code } = await run('projections rebuild', { terminal });
      expect(code).toBe(0);
      expect(shown.at(-1)).toMatchObject({ position: 3, total: 3 });
      expect(isOver()).toBe(true);
      expect(asked).toEqual([expect.stringMatching(/^Switch to main_g\d+ now\?$/)]);
      expect((await statesOf('main')).at(-1)).toContain(state);
    },
    30_000,
  );

  test('Ctrl-C ends the watching, not the rebuild', async () => {
    await (await startServer())();
    const stop = new AbortController();
    stop.abort();
    const { code, said } = await run('projections rebuild', { stop: stop.signal });
    expect(code).toBe(0);
    expect(said).toContain('goes on being built');
    expect((await statesOf('main')).at(-1)).toContain('building');
  });

  test.each([
    ['projections rebuild nothing', 2, 'There is no set nothing'],
    ['projections diff', 1, 'There is only one projection version of main'],
    ['projections diff --with main_g99', 1, 'There is no projection version main_g99'],
    ['projections switch', 1, 'No rebuild of main has been asked for'],
    ['projections switch --back', 1, 'No earlier projection version of main is kept'],
    ['projections drop main_g99', 1, 'There is no projection version main_g99'],
    ['projections fly', 2, "unknown command 'fly'"],
  ])('%s ends with %i', async (line, code, words) => {
    await startServer();
    expect(await run(line)).toMatchObject({ code, complaints: expect.stringContaining(words) });
  });
});

describe('events', () => {
  test('of a stream are shown without what is known of people, unless that is asked for', async () => {
    const { code, said } = await run(`events show user-${userId}`);
    expect(code).toBe(0);
    expect(said).toContain(`1  ${at}  UserCreated  user-${userId}@0  by client`);
    expect(said).toContain('displayName: (hidden)');
    expect(said).toContain('profileImageUrl: null');
    expect(said).not.toContain('Ann');
    expect((await run(`events show user-${userId} --reveal`)).said).toContain('displayName: Ann Achebe');
    const lines = (await run(`events show user-${userId} --json`)).lines();
    expect(lines.map(({ type, position, data }) => [type, position, data.displayName])).toEqual([
      ['UserCreated', '1', '(hidden)'],
      ['UserRenamed', '2', null],
      ['UserRenamed', '3', '(hidden)'],
    ]);
    expect(await run('events show user-x')).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('no stream user-x'),
    });
  });

  test('tail shows the newest that are wanted', async () => {
    const positions = async (line: string) =>
      (await run(`events tail --no-follow --json ${line}`.trim())).lines().map(({ position }) => position);
    expect(await positions('')).toEqual(['1', '2', '3']);
    expect(await positions('--last 2')).toEqual(['2', '3']);
    expect(await positions('--after 2')).toEqual(['3']);
    expect(await positions('--type UserCreated --stream user-')).toEqual(['1']);
    expect((await run('events tail --no-follow --stream team-')).said).toBe('');
    expect(await run('events tail --no-follow --type Nothing')).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('type Nothing'),
    });
    expect(await run('events tail --after x')).toMatchObject({ code: 2 });
  });

  test('tail follows the log until Ctrl-C', async () => {
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
  const about = async (env: Record<string, string> = {}) => {
    const { code, lines } = await run('doctor --json', { env });
    const [{ is_well, checks }] = lines();
    const wrong = checks.filter(({ state }: { state: string }) => state === 'wrong');
    return { code, isWell: is_well, wrong, checks };
  };

  test('finds nothing wrong, and says a line for each thing', async () => {
    await startServer();
    const { code, isWell, checks } = await about();
    expect([code, isWell]).toEqual([0, true]);
    expect(checks.map((check: { about: string; state: string }) => `${check.state} ${check.about}`)).toEqual([
      ...[
        'ok program',
        'ok configuration',
        'note server',
        'note Redis',
        'note mail server',
        'ok database',
        'ok clock',
        'ok disk',
      ],
      ...[
        'ok migrations',
        'ok log',
        'ok master key',
        'ok subscription main',
        'ok subscription metrics',
        'ok subscriptions',
      ],
    ]);
    expect((await run('doctor')).said).toMatch(/^ok +program +Gatebook/);
  });

  test('names each fault and what to do', async () => {
    await startServer();
    const faultOf = async (settings: Record<string, string>) => {
      const { code, wrong } = await about(settings);
      expect([code, wrong.length]).toEqual([5, 1]);
      return wrong[0];
    };
    expect(await faultOf({ GATEBOOK_COLOUR: 'red' })).toMatchObject({ about: 'configuration' });
    expect(await faultOf({ GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64') })).toMatchObject({
      about: 'log',
      advice: expect.stringContaining('GATEBOOK_MASTER_KEY'),
    });
    expect(await faultOf({ GATEBOOK_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })).toMatchObject({
      about: 'database',
    });
    expect(await faultOf({ REDIS_URL: 'redis://127.0.0.1:1' })).toMatchObject({
      about: 'Redis',
      advice: expect.stringContaining('REDIS_URL'),
    });

    await operator.pool.query(
      `update readmodel.projection_versions set stopped_error = 'event 3 is faulty' where group_name = 'main'`,
    );
    expect(await faultOf({})).toMatchObject({ about: 'subscription main', finding: 'event 3 is faulty' });
    await operator.accountPool.query(`delete from readmodel.migrations where file = '003-standby.sql'`);
    expect(await faultOf({})).toMatchObject({ about: 'migrations', finding: 'readmodel/003-standby.sql have not run' });
  });
});
