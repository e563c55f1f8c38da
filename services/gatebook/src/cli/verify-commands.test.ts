import { newestConsistencyChecks } from '@gatebook/projections/consistency/consistency-checks';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { insertCopiedUser } from '@gatebook/readmodel/testing/copied-user';
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
  test('verify shows for each table that its rows match the log', async () => {
    const { code, output } = await run('projections verify');
    expect(code).toBe(0);
    expect(output).toMatch(/users +6 +6 +0 +matches/);
    expect(output).toMatch(/sign_ups +6 +6 +0 +matches/);
    expect(output.match(/All rows match the log/g)).toHaveLength(5);
    const [verified, ...more] = (await run('projections verify --group metrics --json')).lines();
    expect(more).toEqual([]);
    expect(verified).toEqual({
      group: 'metrics',
      projection_version: expect.stringMatching(/^metrics_g/),
      is_consistent: true,
      position: String(await operator.store.head()),
      tables: [
        { table: 'sign_ups', rows: 6, rows_in_log: 6, checksum: 'matches', differing: 0, differences: [] },
        { table: 'sign_ins', rows: 4, rows_in_log: 4, checksum: 'matches', differing: 0, differences: [] },
      ],
    });
    expect(
      (await newestConsistencyChecks(operator.pool)).map(({ group, kind, differing }) => [group, kind, differing]),
    ).toEqual([
      ['metrics', 'verify', 0],
      ['past', 'verify', 0],
      ['events', 'verify', 0],
      ['audit', 'verify', 0],
      ['main', 'verify', 0],
    ]);
    // The temporary projection version was dropped.
    expect(await listProjectionVersions(operator.pool, null)).toHaveLength(5);
  });

  test('verify lists damaged rows, and repair repairs them', async () => {
    await damage(`update {}.users set display_name = 'Mallory' where id = '${ann}'`);
    await damage(`delete from {}.team_members where team_id = '${team}' and user_id = '${ann}'`);
    const quick = await run('projections verify --quick');
    expect(quick.code).toBe(5);
    expect(quick.output).toMatch(/users +6 +differs/);
    expect(quick.output).toContain('gatebook projections verify --table team_members');

    const { code, output, errors } = await run('projections verify --group main');
    expect(code).toBe(5);
    expect(errors).toContain('Read models differ from the log.');
    expect(output).toContain(`users ${ann}: display_name differs`);
    expect(output).toContain(`team_members ${team},${ann}: missing from the table`);
    expect(output + errors).not.toContain('Mallory');
    const [command] = output.match(/projections repair team_members '.*'/) ?? [];
    expect(command).toBe(`projections repair team_members '${team},${ann}'`);

    const [verified] = (await run('projections verify --table users --json')).lines();
    expect(verified.tables).toEqual([
      {
        table: 'users',
        rows: 6,
        rows_in_log: 6,
        checksum: 'differs',
        differing: 1,
        differences: [{ key: { id: ann }, kind: 'changed', columns: ['display_name'] }],
      },
    ]);

    expect(await run(command?.replaceAll("'", '') ?? '')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Repaired in'),
    });
    const [repaired] = (await run(`projections repair users ${ann} --json`)).lines();
    expect(repaired).toMatchObject({ table: 'users', checksum: 'matches', repaired: [{ key: { id: ann } }] });
    expect((await run(`projections repair users ${ann}`)).output).toContain('No differences');
    expect((await run('projections verify --group main')).code).toBe(0);
    expect((await newestConsistencyChecks(operator.pool)).map(({ kind }) => kind)).toContain('repair');
  });

  test('repair of a whole table also removes surplus rows', async () => {
    const { rowCount } = await damage(`update {}.users set is_anonymous = true where not is_anonymous`);
    await damage(insertCopiedUser('{}', team));
    const one = await run(`projections repair users ${team}`);
    expect(one.code).toBe(5);
    expect(one.output).toContain('not in the log');
    expect(one.output).toContain('gatebook projections repair users');
    const all = await run('projections repair users');
    expect(all.code).toBe(0);
    expect(all.output.match(/is_anonymous differs/g)).toHaveLength(rowCount ?? 0);
    expect((await run('projections verify --table users')).code).toBe(0);
  });

  test('Ctrl-C stops verify, which drops its temporary projection version', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await run('projections verify', { stop: stop.signal })).toMatchObject({
      code: 1,
      errors: 'gatebook: Stopped.',
    });
    expect(await listProjectionVersions(operator.pool, null)).toHaveLength(5);
  });

  test.each([
    ['projections verify --group nothing', 2, 'There is no projection group nothing'],
    ['projections verify --table nothing', 2, 'There is no table nothing; expected: projects,'],
    ['projections verify --group metrics --table users', 2, 'There is no table users; expected: sign_ups, sign_ins.'],
    ['projections repair', 2, "missing required argument 'table'"],
    ['projections repair users x', 2, 'Invalid key "x" for table users; expected: id.'],
    ['projections repair team_members x', 2, 'Invalid key "x" for table team_members; expected: team_id,user_id.'],
    ['projections repair audit_events -1', 2, 'Invalid key "-1" for table audit_events; expected: position.'],
  ])('%s exits with %i', async (line, code, words) => {
    expect(await run(line)).toMatchObject({ code, errors: expect.stringContaining(words) });
  });

  test('help of verify and repair explains exit codes and keys', async () => {
    expect((await run('projections verify --help')).output).toContain('with 5 when one differs');
    expect((await run('projections repair --help')).output).toContain('with commas between the columns');
  });
});
