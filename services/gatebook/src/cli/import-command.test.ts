import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { transact } from '@gatebook/commands/execute';
import { decideOnUser } from '@gatebook/commands/user/decide-on-user';
import { newId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import { exportFile, startImports } from '../import/testing/imports.ts';

const { world, addProject, write, importFile, idOf, stateOf, createdOf } = startImports();
const bcryptHash = '$2b$04$7RUwbiurnJNe.AT3qVFTqOwRR2iUf6eJz/SxFQJwfAfa.2IOvc6dS';

test('a second run does not restore what was removed when the address was first verified', async () => {
  const line = { id: '5', email: 'ann@example.com', password_hash: bcryptHash, google_account_id: '7' };
  const file = await write('proven.ndjson', JSON.stringify(line));
  expect((await importFile('csv', file)).users).toMatchObject({ created: 1 });
  const at = world.deps.now();
  const ctx = { projectId: world.projectId, actor: { kind: 'client', id: null }, requestId: newId() } as const;
  const prove = { type: 'ProveAddress', email: 'ann@example.com', by: 'sign_in_code', at } as const;
  await transact(world.deps, ctx, (work) => decideOnUser(work, { userId: idOf('csv', '5'), commands: [prove], at }));
  expect((await importFile('csv', file)).users).toMatchObject({ completed: 0, existing: 1 });
  expect(await stateOf(idOf('csv', '5'))).toMatchObject({ hasPassword: false, oauthAccounts: [] });
});

test('a dry run writes nothing, and reports what the import reports', async () => {
  const rows = Array.from({ length: 1_200 }, (_, n) => `${n},user${n % 1_100}@example.com`);
  const file = await write('many.csv', `id,email\n${rows.join('\n')}\n`);
  const before = await world.operator.store.head();
  const rehearsed = await importFile('csv', file, '--dry-run');
  expect(await world.operator.store.head()).toBe(before);
  expect(rehearsed.users).toMatchObject({ rows: 1_200, created: 1_100, rejected: 100 });
  const imported = await importFile('csv', file);
  expect(imported.users).toEqual(rehearsed.users);
  expect(imported.brief).toEqual(rehearsed.brief);
});

test('each batch of an import is one action, and all have one correlation ID', async () => {
  const rows = Array.from({ length: 600 }, (_, n) => `${n},linked${n}@example.com`);
  const before = await world.operator.store.head();
  await importFile('csv', await write('linked.csv', `id,email\n${rows.join('\n')}\n`));
  const events = await world.operator.store.readAll(before, 10_000);
  expect(new Set(events.map(({ metadata }) => metadata.requestId)).size).toBe(2);
  expect(new Set(events.map(({ metadata }) => metadata.correlationId)).size).toBe(1);
});

test('an import that is stopped continues where it was', async () => {
  const rows = Array.from({ length: 1_500 }, (_, n) => `${n},user${n}@example.com`);
  const file = await write('stopped.csv', `id,email\n${rows.join('\n')}\n`);
  const stopping = new AbortController();
  const bar = { show: () => stopping.abort(), stop: () => {} };
  const terminal = { confirm: async () => false, startBar: () => bar };
  const line = `import csv ${file} --project ${world.projectId}`;
  const stopped = await world.operator.run(line, { stop: stopping.signal, terminal });
  expect(stopped).toMatchObject({ code: 1, errors: 'gatebook: Stopped. Run the command again to continue.' });
  const { users } = await importFile('csv', file);
  expect(users).toMatchObject({ rows: 1_500, existing: 500, created: 1_000 });
});

test('users of one append who conflict with a user of the project do not stop the others', async () => {
  const first = await write('first.csv', 'id,email\n1,ann@example.com\n');
  await importFile('csv', first);
  const file = await write('conflict.csv', 'id,email\n2,bo@example.com\n3,ann@example.com\n4,carl@example.com\n');
  const imported = await importFile('csv', file);
  expect(imported.users).toMatchObject({ created: 2, rejected: 1 });
  expect(imported.problems).toMatchObject([{ line: 3, id: '3', reason: 'email_in_use', detail: 'ann@example.com' }]);
});

test('a second address that is taken costs only that address', async () => {
  await importFile('csv', await write('taken.csv', 'id,email\n1,ann.work@example.com\n'));
  const rehearsed = await importFile('clerk', exportFile('clerk-users.csv'), '--dry-run');
  const { users, brief } = await importFile('clerk', exportFile('clerk-users.csv'));
  expect(users).toMatchObject({ created: 3 });
  expect(brief).toContain('2 part email_in_use ann.work@example.com');
  expect(rehearsed).toMatchObject({ users, brief });
});

test('a dry run finds a second address that a user of the same file has', async () => {
  const emails = (...addresses: string[]) =>
    addresses.map((email_address) => ({ id: email_address, email_address, verification: { status: 'verified' } }));
  const rows = [
    { id: 'a', primary_email_address_id: 'ann@example.com', email_addresses: emails('ann@example.com') },
    {
      id: 'b',
      primary_email_address_id: 'bo@example.com',
      email_addresses: emails('bo@example.com', 'ann@example.com', 'bo.work@example.com'),
    },
    { id: 'c', primary_email_address_id: 'bo.work@example.com', email_addresses: emails('bo.work@example.com') },
  ];
  const file = await write('second.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
  const rehearsed = await importFile('clerk', file, '--dry-run');
  const { users, brief } = await importFile('clerk', file);
  expect(brief).toContain('2 part email_in_use ann@example.com');
  expect(rehearsed).toMatchObject({ users, brief });
});

test('a dry run finds what is wrong with teams and members', async () => {
  await importFile('csv', await write('before.csv', 'id,email\n1,ann@example.com\n'));
  const users = await write('people.csv', 'id,email\n1,ann@example.com\n2,bo@example.com\n3,ann@example.com\n');
  const teamId = '3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0d01';
  const uuidUser = '3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0d02';
  await importFile('csv', await write('uuid.csv', `id,email\n${uuidUser},carl@example.com\n`));
  const teams = await write('teams.csv', `id,display_name\n${teamId},One\n${teamId},Again\n${uuidUser},Taken\n`);
  const members = ['1', '2', '2', '3', '4'].map((userId) => `${teamId},${userId},member`);
  const memberships = await write('members.csv', `team_id,user_id,role\n${members.join('\n')}\nunknown,1,member\n`);
  const options = `--teams ${teams} --memberships ${memberships}`;
  const head = await world.operator.store.head();
  const rehearsed = await importFile('csv', users, `${options} --dry-run`);
  expect(await world.operator.store.head()).toBe(head);
  const imported = await importFile('csv', users, options);
  expect(imported).toMatchObject({
    teams: { created: 1, existing: 1, rejected: 1 },
    memberships: { created: 2, existing: 1, rejected: 3 },
  });
  const { users: people, teams: groups, memberships: joined, lost } = imported;
  expect(rehearsed).toMatchObject({ users: people, teams: groups, memberships: joined, lost });
});

test('UUIDs of another project are taken; new IDs avoid that', async () => {
  const file = exportFile('supabase-users.csv');
  await importFile('supabase', file);
  await addProject('Other');
  expect((await importFile('supabase', file)).brief).toEqual(['2 row id_in_use']);
  expect(await importFile('supabase', file, '--new-ids')).toMatchObject({ code: 0, users: { created: 1 } });
});

test('events name the operator, and the report is private and has no secrets', async () => {
  const { report } = await importFile('csv', exportFile('users.csv'));
  const created = await createdOf(idOf('csv', '17'));
  expect(created?.metadata).toMatchObject({ projectId: world.projectId, actor: { kind: 'operator', id: null } });
  expect((await stat(report)).mode & 0o777).toBe(0o600);
  expect(await readFile(report, 'utf8')).not.toMatch(/\$2[aby]\$|GEZDG/);
});

test('a report can be CSV', async () => {
  const report = join(world.folder, 'report.csv');
  await world.operator.run(`import csv ${exportFile('users.csv')} --project ${world.projectId} --report ${report}`);
  const [header, ...lines] = (await readFile(report, 'utf8')).trim().split('\r\n');
  expect(header).toBe('file,line,id,lost,reason,detail');
  expect(lines).toHaveLength(3);
});

test.each([
  ['there is no such project', `import csv ${exportFile('users.csv')} --project nobody`, 'There is no project nobody.'],
  ['the file is missing', 'import csv nowhere.csv --project x', 'There is no file nowhere.csv.'],
  ['the project has the owners', `import csv ${exportFile('users.csv')} --project internal`, 'are owners'],
])('the import fails if %s', async (_, line, error) => {
  const report = join(world.folder, 'none.json');
  const { code, errors } = await world.operator.run(`${line} --report ${report}`);
  expect(code).toBeGreaterThan(0);
  expect(errors).toContain(error);
});
