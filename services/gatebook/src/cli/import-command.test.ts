import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WriteDeps } from '@gatebook/commands/deps';
import { transact } from '@gatebook/commands/execute';
import { signInWithPassword } from '@gatebook/commands/password/password';
import { createProject } from '@gatebook/commands/project/project';
import { systemContext } from '@gatebook/commands/project/seed';
import { accountRefOf, findOAuthUser } from '@gatebook/commands/reservation/reservation';
import { decideOnUser } from '@gatebook/commands/user/decide-on-user';
import { DomainError } from '@gatebook/domain/errors';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { defaultProjectConfig } from '@gatebook/domain/project/config';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { newId } from '@gatebook/runtime/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importedId } from '../import/prepare-user.ts';
import { composeWrite } from '../roles/core.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';

let operator: TestOperator;
let deps: WriteDeps;
let folder: string;
let projectId: string;
const config: ProjectConfig = {
  ...defaultProjectConfig,
  magicLinkEnabled: true,
  oauthProviders: [{ id: 'google', type: 'shared' }],
};
const password = 'correct horse battery';
const bcryptHash = '$2b$04$7RUwbiurnJNe.AT3qVFTqOwRR2iUf6eJz/SxFQJwfAfa.2IOvc6dS';
const googleAccount = { provider: 'google', accountId: '108204268033311374519' };

beforeAll(async () => {
  [operator, folder] = await Promise.all([openTestOperator(), mkdtemp(join(tmpdir(), 'gatebook-import-'))]);
  deps = await composeWrite(operator, operator.config);
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  const owner = { displayName: 'Shop', ownerUserId: newId(), config };
  ({ projectId } = await createProject(deps, systemContext, owner));
});

const exportFile = (name: string) => join(import.meta.dirname, '../import/testing/exports', name);
const write = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

/** Imports a file; `report` has the lines of the report, `counts` what was printed as JSON. */
async function importFile(source: string, file: string, options = '') {
  const report = join(folder, `${newId()}.json`);
  const line = `import ${source} ${file} --project ${projectId} --report ${report} --json ${options}`.trim();
  const { code, output, errors } = await operator.run(line);
  if (output === '') throw new Error(errors);
  const { problems } = JSON.parse(await readFile(report, 'utf8'));
  const brief = problems.map((problem: Record<string, unknown>) => {
    const { line: at, lost, reason, detail } = problem;
    return [at, lost, reason, ...(lost === 'part' && detail ? [detail] : [])].join(' ');
  });
  return { code, errors, report, problems, brief, ...JSON.parse(output) };
}

const idOf = (source: string, id: string, kind: 'user' | 'team' = 'user') =>
  importedId(
    { projectId, sourceName: source, hasNewIds: false, project: { displayName: '', config, permissions: [] } },
    kind,
    id,
  );
async function stateOf(userId: string) {
  const { state } = await operator.store.foldStream(`user-${userId}`, userDecider);
  if (state.status !== 'active') throw new Error(`user ${userId} is ${state.status}`);
  return state;
}
async function createdOf(userId: string) {
  const { events } = await operator.store.readStream(`user-${userId}`);
  return events[0];
}
async function signIn(email: string, given = password): Promise<string> {
  const ctx = { projectId, actor: { kind: 'client', id: null }, requestId: 'test' } as const;
  try {
    return (await signInWithPassword(deps, ctx, { email, password: given, config })).userId;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

describe('Auth0', () => {
  test('users keep their data, and sign in once the hashes are imported', async () => {
    const first = await importFile('auth0', exportFile('auth0-users.ndjson'));
    expect(first).toMatchObject({ code: 5, users: { rows: 5, created: 3, rejected: 2 } });
    expect(first.brief).toEqual([
      '3 row malformed',
      '2 part phone_number',
      '4 part provider_account_unsupported waad',
      '4 part username',
      '5 row email_in_use',
    ]);
    const ann = idOf('auth0', 'auth0|5f7c8ec7c33c6c004bbafe82');
    expect((await createdOf(ann))?.data).toMatchObject({
      displayName: 'Ann Achebe',
      profileImageUrl: 'https://img.example/ann.png',
      signedUpAt: '2019-02-03T04:05:06.789Z',
      clientMetadata: { theme: 'dark' },
      serverMetadata: { plan: 'pro', imported_id: 'auth0|5f7c8ec7c33c6c004bbafe82' },
    });
    expect((await stateOf(ann)).channels).toMatchObject([{ value: 'ann@example.com', isVerified: true }]);
    expect((await findOAuthUser(deps, accountRefOf(deps, projectId, googleAccount)))?.user.userId).toBe(ann);
    expect(await stateOf(idOf('auth0', 'google-oauth2|208204268033311374519'))).toMatchObject({
      displayName: null,
      adminRestriction: expect.anything(),
      oauthAccounts: [{ provider: 'google', accountId: '208204268033311374519' }],
    });

    expect(await signIn('ann@example.com')).toBe('EMAIL_PASSWORD_MISMATCH');
    const second = await importFile('auth0', exportFile('auth0-hashes.ndjson'));
    expect(second).toMatchObject({ code: 0, users: { rows: 2, created: 1, completed: 1 } });
    expect(await signIn('ann@example.com')).toBe(ann);
    expect(await signIn('ann@example.com', 'wrong')).toBe('EMAIL_PASSWORD_MISMATCH');
    expect(await signIn('euclid@example.com')).toBe(idOf('auth0', 'auth0|euclid'));
  });

  test('organizations become teams with their members', async () => {
    const options = `--teams ${exportFile('auth0-organizations.json')} --memberships ${exportFile('auth0-members.ndjson')}`;
    const { teams, memberships, brief } = await importFile('auth0', exportFile('auth0-users.ndjson'), options);
    expect(teams).toMatchObject({ created: 1 });
    expect(memberships).toMatchObject({ rows: 3, created: 2, rejected: 1 });
    expect(brief.at(-1)).toBe('3 row user_not_found');
    const team = idOf('auth0', 'org_9ybsU1dN2dKfDkBi', 'team');
    const { state } = await operator.store.foldStream(`team-${team}`, teamDecider);
    expect(state).toMatchObject({ displayName: 'Acme', profileImageUrl: 'https://img.example/acme.png' });
    const permissionsOf = async (id: string) => {
      const stream = `membership-${team}.${idOf('auth0', id)}`;
      const member = (await operator.store.foldStream(stream, membershipDecider)).state;
      return member.status === 'member' ? [...member.permissions] : null;
    };
    expect(await permissionsOf('auth0|5f7c8ec7c33c6c004bbafe82')).toEqual(['team_admin']);
    expect(await permissionsOf('google-oauth2|208204268033311374519')).toEqual(['team_member']);
    const again = await importFile('auth0', exportFile('auth0-users.ndjson'), options);
    expect(again).toMatchObject({
      users: { created: 0, existing: 3 },
      teams: { created: 0, existing: 1 },
      memberships: { created: 0, existing: 2 },
    });
  });
});

describe('Clerk', () => {
  test('the CSV export has passwords, and the users of the API add accounts', async () => {
    const csv = await importFile('clerk', exportFile('clerk-users.csv'));
    expect(csv).toMatchObject({ code: 0, users: { rows: 3, created: 3 } });
    expect(csv.brief).toEqual(['3 part username', '3 part phone_number', '4 part password_unsupported']);
    const ann = idOf('clerk', 'user_2NNEqL2nrIRdJ194ndJqAHwEfxC');
    const { channels, totp } = await stateOf(ann);
    expect(channels).toMatchObject([
      { value: 'ann@example.com', isPrimary: true, isVerified: true, usedForAuth: true },
      { value: 'ann.work@example.com', isPrimary: false, isVerified: true, usedForAuth: true },
      { value: 'ann.old@example.com', isPrimary: false, isVerified: false, usedForAuth: false },
    ]);
    expect(totp?.secret).toBe(Buffer.from('12345678901234567890').toString('base64'));
    expect(await signIn('bo@example.com')).toBe(idOf('clerk', 'user_2NNEqL2nrIRdJ194ndJqAHwEfxD'));
    expect(await signIn('carl@example.com')).toBe('EMAIL_PASSWORD_MISMATCH');

    const api = await importFile('clerk', exportFile('clerk-users.json'));
    expect(api).toMatchObject({ code: 0, users: { rows: 1, completed: 1 } });
    expect(api.brief).toEqual([
      '2 part provider_account_unsupported notion',
      '2 part provider_account_unsupported github',
      '2 part passkey',
      '2 part mfa_factor',
    ]);
    expect((await stateOf(ann)).oauthAccounts).toMatchObject([googleAccount]);
  });

  test('the users of the API have metadata, and organizations become teams', async () => {
    const options = `--teams ${exportFile('clerk-organizations.json')} --memberships ${exportFile('clerk-memberships.json')}`;
    const api = await importFile('clerk', exportFile('clerk-users.json'), options);
    expect(api).toMatchObject({
      users: { created: 1 },
      teams: { created: 1 },
      memberships: { created: 1, rejected: 1 },
    });
    expect((await createdOf(idOf('clerk', 'user_2NNEqL2nrIRdJ194ndJqAHwEfxC')))?.data).toMatchObject({
      signedUpAt: '2019-02-03T04:05:06.789Z',
      clientMetadata: { theme: 'dark' },
      clientReadOnlyMetadata: { plan: 'pro' },
      serverMetadata: { stripe: 'cus_1' },
    });
  });
});

describe('Firebase', () => {
  const parameters =
    '--signer-key jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA== --salt-separator Bw==';

  test('users sign in with their passwords', async () => {
    const imported = await importFile('firebase', exportFile('firebase-users.json'), parameters);
    expect(imported).toMatchObject({ code: 0, users: { rows: 3, created: 3 } });
    expect(imported.brief).toEqual(['24 part phone_number', '24 part mfa_factor']);
    const ann = idOf('firebase', 'mVFzqKcYeAd9xqnBsQtP5mQkbAp1');
    expect(await signIn('ann@example.com', 'user1password')).toBe(ann);
    expect((await createdOf(ann))?.data).toMatchObject({ clientReadOnlyMetadata: { role: 'editor' } });
    expect(await stateOf(idOf('firebase', 'oVFzqKcYeAd9xqnBsQtP5mQkbAp3'))).toMatchObject({ isAnonymous: true });
  });

  test('without the parameters, hashes are lost and a second run adds them', async () => {
    const { brief } = await importFile('firebase', exportFile('firebase-users.json'));
    expect(brief[0]).toBe('3 part hash_parameters_missing');
    const again = await importFile('firebase', exportFile('firebase-users.json'), parameters);
    expect(again.users).toMatchObject({ created: 0, completed: 1, existing: 2 });
    expect(await signIn('ann@example.com', 'user1password')).not.toBe('EMAIL_PASSWORD_MISMATCH');
  });
});

test('a second run does not restore what was removed when the address was first verified', async () => {
  const line = { id: '5', email: 'ann@example.com', password_hash: bcryptHash, google_account_id: '7' };
  const file = await write('proven.ndjson', JSON.stringify(line));
  expect((await importFile('csv', file)).users).toMatchObject({ created: 1 });
  const at = deps.now();
  const ctx = { projectId, actor: { kind: 'client', id: null }, requestId: newId() } as const;
  const prove = { type: 'ProveAddress', email: 'ann@example.com', by: 'sign_in_code', at } as const;
  await transact(deps, ctx, (work) => decideOnUser(work, { userId: idOf('csv', '5'), commands: [prove], at }));
  expect((await importFile('csv', file)).users).toMatchObject({ completed: 0, existing: 1 });
  expect(await stateOf(idOf('csv', '5'))).toMatchObject({ hasPassword: false, oauthAccounts: [] });
});

test('Supabase users keep their IDs, from JSON and from CSV', async () => {
  const imported = await importFile('supabase', exportFile('supabase-users.ndjson'));
  expect(imported).toMatchObject({ code: 5, users: { rows: 4, created: 3, rejected: 1 } });
  expect(imported.brief).toEqual(['4 row invalid', '2 part phone_number']);
  const [ann, bo] = ['3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0a01', '3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0a02'];
  expect(await stateOf(ann)).toMatchObject({ displayName: 'Ann Achebe', oauthAccounts: [googleAccount] });
  expect((await stateOf(ann)).totp?.secret).toBe(Buffer.from('12345678901234567890').toString('base64'));
  expect(await stateOf(bo)).toMatchObject({ adminRestriction: {}, channels: [{ isVerified: false }] });
  const csv = await importFile('supabase', exportFile('supabase-users.csv'));
  expect(csv).toMatchObject({ code: 0, users: { created: 1 } });
  const cleo = '3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0b01';
  expect((await createdOf(cleo))?.data).toMatchObject({ displayName: 'Cleo', signedUpAt: '2019-02-03T04:05:06.789Z' });
  expect(await signIn('cleo@example.com')).toBe(cleo);
});

test('Stack Auth users and teams keep their IDs', async () => {
  const options = `--teams ${exportFile('stack-teams.json')} --memberships ${exportFile('stack-memberships.json')}`;
  const imported = await importFile('stack', exportFile('stack-users.ndjson'), options);
  expect(imported).toMatchObject({
    code: 0,
    users: { rows: 2, created: 2 },
    teams: { created: 1 },
    memberships: { created: 1 },
  });
  expect(imported.brief).toEqual(['1 part password_not_exported', '1 part passkey', '1 part mfa_factor']);
  const bo = await stateOf('3d3b9f40-5b5a-4c5b-8b53-0f5f3d1f0c02');
  expect(bo).toMatchObject({ isOtpEnabled: true, channels: [{ value: 'bo@example.com', usedForAuth: false }] });
});

describe('CSV', () => {
  test('bad rows are named and lose nothing else', async () => {
    const imported = await importFile('csv', exportFile('users.csv'));
    expect(imported).toMatchObject({ code: 5, users: { rows: 5, created: 3, rejected: 2 } });
    expect(imported.brief).toEqual(['5 row invalid', '6 row malformed']);
    expect(await stateOf(idOf('csv', '17'))).toMatchObject({ displayName: 'Bo "the" Byrne' });
    expect(await stateOf(idOf('csv', 'dora@example.com'))).toBeDefined();
    expect(await signIn('ann@example.com')).not.toBe('EMAIL_PASSWORD_MISMATCH');
  });

  test('an unknown column is named', async () => {
    const file = await write('columns.csv', 'id,mail\n1,ann@example.com\n');
    const { problems } = await importFile('csv', file);
    expect(problems[0].detail).toContain('Unknown column "mail"');
  });
});

test('a dry run writes nothing, and reports what the import reports', async () => {
  const rows = Array.from({ length: 1_200 }, (_, n) => `${n},user${n % 1_100}@example.com`);
  const file = await write('many.csv', `id,email\n${rows.join('\n')}\n`);
  const before = await operator.store.head();
  const rehearsed = await importFile('csv', file, '--dry-run');
  expect(await operator.store.head()).toBe(before);
  expect(rehearsed.users).toMatchObject({ rows: 1_200, created: 1_100, rejected: 100 });
  const imported = await importFile('csv', file);
  expect(imported.users).toEqual(rehearsed.users);
  expect(imported.brief).toEqual(rehearsed.brief);
});

test('an import that is stopped continues where it was', async () => {
  const rows = Array.from({ length: 1_500 }, (_, n) => `${n},user${n}@example.com`);
  const file = await write('stopped.csv', `id,email\n${rows.join('\n')}\n`);
  const stopping = new AbortController();
  const bar = { show: () => stopping.abort(), stop: () => {} };
  const terminal = { confirm: async () => false, startBar: () => bar };
  const line = `import csv ${file} --project ${projectId}`;
  const stopped = await operator.run(line, { stop: stopping.signal, terminal });
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

test('UUIDs of another project are taken; new IDs avoid that', async () => {
  const file = exportFile('supabase-users.csv');
  await importFile('supabase', file);
  ({ projectId } = await createProject(deps, systemContext, { displayName: 'Other', ownerUserId: newId(), config }));
  expect((await importFile('supabase', file)).brief).toEqual(['2 row id_in_use']);
  expect(await importFile('supabase', file, '--new-ids')).toMatchObject({ code: 0, users: { created: 1 } });
});

test('events name the operator, and the report is private and has no secrets', async () => {
  const { report } = await importFile('csv', exportFile('users.csv'));
  const created = await createdOf(idOf('csv', '17'));
  expect(created?.metadata).toMatchObject({ projectId, actor: { kind: 'operator', id: null } });
  expect((await stat(report)).mode & 0o777).toBe(0o600);
  expect(await readFile(report, 'utf8')).not.toMatch(/\$2[aby]\$|GEZDG/);
});

test('a report can be CSV', async () => {
  const report = join(folder, 'report.csv');
  await operator.run(`import csv ${exportFile('users.csv')} --project ${projectId} --report ${report}`);
  const [header, ...lines] = (await readFile(report, 'utf8')).trim().split('\n');
  expect(header).toBe('file,line,id,lost,reason,detail');
  expect(lines).toHaveLength(3);
});

test.each([
  ['there is no such project', `import csv ${exportFile('users.csv')} --project nobody`, 'There is no project nobody.'],
  ['the file is missing', 'import csv nowhere.csv --project x', 'There is no file nowhere.csv.'],
  ['the project has the owners', `import csv ${exportFile('users.csv')} --project internal`, 'are owners'],
])('the import fails if %s', async (_, line, error) => {
  const report = join(folder, 'none.json');
  const { code, errors } = await operator.run(`${line} --report ${report}`);
  expect(code).toBeGreaterThan(0);
  expect(errors).toContain(error);
});
