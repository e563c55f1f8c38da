import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestOwner, type TestOwner } from '../testing/test-owner.ts';

let owner: TestOwner;
beforeAll(async () => {
  owner = await startTestOwner();
  await rename('Ann');
});
afterAll(() => owner?.close());

const rename = (name: string) => owner.asAdmin('PATCH', `/users/${owner.userId}`, { display_name: name });
/** ID of the newest event of a type. */
async function newest(type: string): Promise<string> {
  const { lines } = await owner.run(`audit list --type ${type} --technical --limit 1 --json`);
  return lines()[0].items[0].id;
}

describe('gatebook audit timeline', () => {
  test('counts what the list shows, with a bar for each part of the time', async () => {
    const line = `audit timeline --target ${owner.userId} --since 2026-01-01T00:00Z --until 2100-01-01 --buckets 2`;
    const { code, output } = await owner.run(line);
    const listed = (await owner.run(`audit list --target ${owner.userId} --json`)).lines()[0].items.length;
    expect(code).toBe(0);
    expect(output.split('\n')).toEqual([
      `2026-01-01T00:00:00.000Z  ${listed}  ${'█'.repeat(40)}`,
      expect.stringMatching(/^20\d\d-\S+Z {2}0$/),
    ]);
    const [counted] = (await owner.run(`${line} --json`)).lines();
    expect(counted.buckets).toMatchObject([{ count: listed, is_complete: true }, { count: 0 }]);
  });

  test('shows the last day by default', async () => {
    const { lines } = await owner.run('audit timeline --json');
    const [{ buckets }] = lines();
    expect(buckets).toHaveLength(24);
    expect(buckets[1].at_millis - buckets[0].at_millis).toBe(3_600_000);
    expect(buckets.at(-1).count).toBeGreaterThan(0);
  });

  test('rejects a cursor, which it has no use for', async () => {
    expect(await owner.run('audit timeline --cursor x')).toMatchObject({ code: 2 });
  });
});

describe('gatebook audit types', () => {
  test('lists each type with its category, its title, and whether it can be undone', async () => {
    const { code, output } = await owner.run('audit types');
    expect(code).toBe(0);
    expect(output).toMatch(/^TYPE +CATEGORY +TITLE\n/);
    expect(output).toMatch(/^UserRenamed +user +Display name changed +can be undone$/m);
    expect(output).toMatch(/^ValueReserved +\S+ +.* technical$/m);
    expect((await owner.run('audit types --json')).lines()[0].items).toContainEqual({
      ...{ type: 'UserRenamed', category: 'user', text: 'Display name changed' },
      ...{ is_technical: false, is_reversible: true },
    });
  });
});

describe('gatebook diff', () => {
  test('shows the fields that differ, and the events in between', async () => {
    const from = await newest('UserRenamed');
    await rename('Bea');
    const to = await newest('UserRenamed');
    await rename('Cleo');
    const between = await owner.run(`diff user ${owner.userId} --from ${from} --to ${to}`);
    expect(between).toMatchObject({ code: 0, errors: '' });
    expect(between.output.split('\n')).toEqual([
      expect.stringMatching(`^user ${owner.userId}, from \\S+Z \\(event ${from}\\) to \\S+Z \\(event ${to}\\)$`),
      'Changes:',
      '  display_name: "Ann" → "Bea"',
      'Events:',
      expect.stringMatching(`^ {2}\\S+Z {2}admin \\S+ {2}UserRenamed {2}${to}$`),
    ]);
    const untilNow = await owner.run(`diff user ${owner.userId} --from ${from} --json`);
    expect(untilNow.lines()[0]).toMatchObject({ changes: [{ field: 'display_name', before: 'Ann', after: 'Cleo' }] });
  });

  test('tells what did not exist before, and what no longer existed', async () => {
    const before = await newest('UserRenamed');
    const { body: team } = await owner.asAdmin('POST', '/teams', { display_name: 'Crew' });
    const created = await newest('TeamCreated');
    const whenCreated = await owner.run(`diff team ${team.id} --from ${before} --to ${created}`);
    expect(whenCreated.output).toMatch(
      /\)\nIt did not exist before\.\nChanges:\n(.*\n)* {2}display_name: null → "Crew"\n/,
    );
    await owner.asAdmin('DELETE', `/teams/${team.id}`);
    const deleted = await owner.run(`diff team ${team.id} --from ${created}`);
    expect(deleted.output).toContain(')\nIt no longer existed.\nChanges:\n');
    expect((await owner.run(`diff team ${team.id} --from ${before}`)).output).toMatch(
      /\)\nIt did not exist\.\nEvents:\n/,
    );
    expect((await owner.run(`diff settings --from ${before}`)).output).toMatch(/\)\nNo changes\.$/);
  });

  test.each(['diff user --from 2026-11-01', 'diff settings x --from 2026-11-01', 'diff dogs x --from 2026-11-01'])(
    'explains what it expects instead of %s',
    async (line) => {
      expect(await owner.run(line)).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/diff user <id>|diff settings|user, team/),
      });
    },
  );
});

describe('gatebook at', () => {
  test('shows sessions and API keys as they were', async () => {
    const { userId } = owner;
    await owner.asAdmin('PATCH', '/internal/projects/current', {
      config: { allow_user_api_keys: true, allow_team_api_keys: true },
    });
    const key = { description: 'first', expires_at_millis: null };
    const { body: ofUser } = await owner.asAdmin('POST', '/user-api-keys', { ...key, user_id: userId });
    const { body: team } = await owner.asAdmin('POST', '/teams', { display_name: 'Crew' });
    const { body: ofTeam } = await owner.asAdmin('POST', '/team-api-keys', { ...key, team_id: team.id });
    const then = await newest('ApiKeyCreated');
    const { body: sessions } = await owner.asAdmin('GET', `/auth/sessions?user_id=${userId}`);
    for (const { id } of sessions.items) await owner.asAdmin('DELETE', `/auth/sessions/${id}?user_id=${userId}`);
    await owner.asAdmin('PATCH', `/user-api-keys/${ofUser.id}`, { description: 'second' });
    const read = async (line: string) => (await owner.run(`at ${then} ${line} --json`)).lines()[0];

    expect(sessions.items).toHaveLength(1);
    expect(await read(`sessions list --user ${userId}`)).toMatchObject({
      as_of_event_id: then,
      as_of_omitted: ['last_used_at', 'last_used_at_end_user_ip_info'],
      body: { items: [{ id: sessions.items[0].id }] },
    });
    expect((await read(`user-api-keys list --user ${userId}`)).body.items).toMatchObject([{ description: 'first' }]);
    expect((await read(`user-api-keys show ${ofUser.id} --user ${userId}`)).body).toMatchObject({
      description: 'first',
    });
    expect((await read(`team-api-keys list --team ${team.id}`)).body.items).toMatchObject([{ id: ofTeam.id }]);
    expect((await read(`team-api-keys show ${ofTeam.id} --team ${team.id}`)).body).toMatchObject({ id: ofTeam.id });
    const { output } = await owner.run(`at ${then} sessions list --user ${userId}`);
    expect(output).toContain(':\nThe past does not know: last_used_at, last_used_at_end_user_ip_info\n{');
  });
});
