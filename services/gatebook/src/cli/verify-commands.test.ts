import { newestConsistencyChecks } from '@gatebook/readmodel/consistency/consistency-checks';
import { listProjectionVersions } from '@gatebook/readmodel/projection-versions';
import { everyTable } from '@gatebook/readmodel/testing/every-table';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LineOptions } from '../testing/run-line.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';

let operator: TestOperator;
let schema: string;

const ann = '00000000-0000-4000-8002-000000000001';
const team = '00000000-0000-4000-8005-000000000001';

beforeAll(async () => {
  operator = await openTestOperator();
  for (const { stream, events } of everyTable) await operator.record(stream, ...events);
  await operator.startServer();
  const [live] = await listProjectionVersions(operator.pool, 'main');
  schema = live?.schema ?? '';
});
afterAll(() => operator.close());

const run = (line: string, options?: LineOptions) => operator.run(line, options);
const damage = (sql: string) => operator.pool.query(sql.replaceAll('{}', schema));

describe('projections verify', () => {
  test('says of each table that its rows are what the log says', async () => {
    const { code, said } = await run('projections verify');
    expect(code).toBe(0);
    expect(said).toMatch(/users +2 +2 +0 +matches/);
    expect(said).toMatch(/sign_ups +2 +2 +0 +matches/);
    expect(said.match(/Every row is what the log says/g)).toHaveLength(2);
    const [told, ...more] = (await run('projections verify --set metrics --json')).lines();
    expect(more).toEqual([]);
    expect(told).toEqual({
      ...{ set: 'metrics', projectionVersion: expect.stringMatching(/^metrics_g/), is_consistent: true },
      position: String(await operator.store.head()),
      tables: [{ table: 'sign_ups', rows: 2, rows_in_log: 2, checksum: 'matches', differing: 0, differences: [] }],
    });
    expect(
      (await newestConsistencyChecks(operator.pool)).map(({ set, kind, differing }) => [set, kind, differing]),
    ).toEqual([
      ['metrics', 'verify', 0],
      ['main', 'verify', 0],
    ]);
    // The throw-away projection version is gone.
    expect(await listProjectionVersions(operator.pool, null)).toHaveLength(2);
  });

  test('names damaged rows, and repair repairs them', async () => {
    await damage(`update {}.users set display_name = 'Mallory' where id = '${ann}'`);
    await damage(`delete from {}.team_members where team_id = '${team}' and user_id = '${ann}'`);
    const quick = await run('projections verify --quick');
    expect(quick.code).toBe(5);
    expect(quick.said).toMatch(/users +2 +differs/);
    expect(quick.said).toContain('gatebook projections verify --table team_members');

    const { code, said, complaints } = await run('projections verify --set main');
    expect(code).toBe(5);
    expect(complaints).toContain('not what the log says');
    expect(said).toContain(`users ${ann}: display_name differs`);
    expect(said).toContain(`team_members ${team},${ann}: is in the log and not in the table`);
    expect(said + complaints).not.toContain('Mallory');
    const [repairing] = said.match(/projections repair team_members '.*'/) ?? [];
    expect(repairing).toBe(`projections repair team_members '${team},${ann}'`);

    const [told] = (await run('projections verify --table users --json')).lines();
    expect(told.tables).toEqual([
      {
        ...{ table: 'users', rows: 2, rows_in_log: 2, checksum: 'differs', differing: 1 },
        differences: [{ key: { id: ann }, kind: 'changed', columns: ['display_name'] }],
      },
    ]);

    expect(await run(repairing?.replaceAll("'", '') ?? '')).toMatchObject({
      code: 0,
      said: expect.stringContaining('Repaired in'),
    });
    const [repaired] = (await run(`projections repair users ${ann} --json`)).lines();
    expect(repaired).toMatchObject({ table: 'users', checksum: 'matches', repaired: [{ key: { id: ann } }] });
    expect((await run(`projections repair users ${ann}`)).said).toContain('Nothing differs');
    expect((await run('projections verify --set main')).code).toBe(0);
    expect((await newestConsistencyChecks(operator.pool)).map(({ kind }) => kind)).toContain('repair');
  }, 60_000);

  test('a whole table is repaired, with what was put in', async () => {
    await damage(`update {}.users set is_anonymous = true`);
    await damage(
      `insert into {}.users select (jsonb_populate_record(u, '{"id": "${team}"}')).* from {}.users u limit 1`,
    );
    const one = await run(`projections repair users ${team}`);
    expect(one.code).toBe(5);
    expect(one.said).toContain('is in the table and not in the log');
    expect(one.said).toContain('gatebook projections repair users');
    const all = await run('projections repair users');
    expect(all.code).toBe(0);
    expect(all.said.match(/is_anonymous differs/g)).toHaveLength(2);
    expect((await run('projections verify --table users')).code).toBe(0);
  }, 60_000);

  test('Ctrl-C ends it and leaves nothing behind', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await run('projections verify', { stop: stop.signal })).toMatchObject({
      code: 1,
      complaints: 'gatebook: Stopped.',
    });
    expect(await listProjectionVersions(operator.pool, null)).toHaveLength(2);
  });

  test.each([
    ['projections verify --set nothing', 2, 'There is no set nothing'],
    ['projections verify --table nothing', 2, 'There is no table nothing; there are projects,'],
    ['projections verify --set metrics --table users', 2, 'There is no table users; there are sign_ups.'],
    ['projections repair', 2, "missing required argument 'table'"],
    ['projections repair users x', 2, 'x is no key of users: that is id.'],
    ['projections repair team_members x', 2, 'x is no key of team_members: that is team_id,user_id.'],
    ['projections repair user_history -1', 2, '-1 is no key of user_history: that is position.'],
  ])('%s ends with %i', async (line, code, words) => {
    expect(await run(line)).toMatchObject({ code, complaints: expect.stringContaining(words) });
  });

  test('help says what the commands end with', async () => {
    expect((await run('projections verify --help')).said).toContain('with 5 when one is not');
    expect((await run('projections repair --help')).said).toContain('parted by commas');
  });
});
