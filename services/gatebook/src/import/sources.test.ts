import { readFile } from 'node:fs/promises';
import { accountRefOf, findOAuthUser } from '@gatebook/commands/reservation/oauth-account';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { teamDecider } from '@gatebook/domain/team/decide';
import { describe, expect, test } from 'vitest';
import { exportFile, googleAccount, startImports } from './testing/imports.ts';

const { world, write, importFile, idOf, stateOf, createdOf, signIn } = startImports();

describe('Auth0', () => {
  test('users keep their data, and sign in once the hashes are imported', async () => {
    const first = await importFile('auth0', exportFile('auth0-users.ndjson'));
    expect(first).toMatchObject({ code: 5, users: { rows: 5, created: 3, rejected: 2 } });
    expect(first.brief).toEqual([
      '2 part phone_number',
      '3 row malformed',
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
    expect(
      (await findOAuthUser(world.deps, accountRefOf(world.deps, world.projectId, googleAccount)))?.user.userId,
    ).toBe(ann);
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
    const { state } = await world.operator.store.foldStream(`team-${team}`, teamDecider);
    expect(state).toMatchObject({ displayName: 'Acme', profileImageUrl: 'https://img.example/acme.png' });
    const permissionsOf = async (id: string) => {
      const stream = `membership-${team}.${idOf('auth0', id)}`;
      const member = (await world.operator.store.foldStream(stream, membershipDecider)).state;
      return member.status === 'member' ? [...member.permissions] : null;
    };
    expect(await permissionsOf('auth0|5f7c8ec7c33c6c004bbafe82')).toEqual(['team_admin']);
    expect(await permissionsOf('google-oauth2|208204268033311374519')).toEqual(['team_member']);
    const actionOf = async (id: string) =>
      (await world.operator.store.readStream(`membership-${team}.${idOf('auth0', id)}`)).events[0]?.metadata.requestId;
    const actions = [
      await actionOf('auth0|5f7c8ec7c33c6c004bbafe82'),
      await actionOf('google-oauth2|208204268033311374519'),
    ];
    expect(new Set(actions).size).toBe(2);
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

test('Supabase users keep their IDs, from JSON and from CSV', async () => {
  const imported = await importFile('supabase', exportFile('supabase-users.ndjson'));
  expect(imported).toMatchObject({ code: 5, users: { rows: 4, created: 3, rejected: 1 } });
  expect(imported.brief).toEqual(['2 part phone_number', '4 row invalid']);
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

  test('a file without a header is rejected, and the report names nothing of it', async () => {
    const file = await write('headerless.csv', `7,ann@example.com,$2b$04$abc\n8,bo@example.com,$2b$04$def\n`);
    const { users, problems, report } = await importFile('csv', file);
    expect(users).toMatchObject({ created: 0, rejected: 1 });
    expect(problems[0].detail).toContain('None of the columns is known');
    expect(await readFile(report, 'utf8')).not.toMatch(/\$2b|example\.com/);
  });

  test('an unknown column is named', async () => {
    const file = await write('columns.csv', 'id,mail\n1,ann@example.com\n');
    const { problems } = await importFile('csv', file);
    expect(problems[0].detail).toContain('Unknown column "mail"');
  });
});

test.each([
  [
    'auth0',
    { user_id: 'oidc|acme_eu|17', identities: [{ provider: 'oidc', user_id: 'acme_eu|17', connection: 'acme_eu' }] },
  ],
  ['auth0', { user_id: 'oidc|Acme EU|17' }],
  ['clerk', { id: 'u', external_accounts: [{ provider: 'oauth_custom_acme_eu', provider_user_id: '17' }] }],
  ['firebase', { localId: 'u', providerUserInfo: [{ providerId: 'oidc.acme-eu', rawId: '17' }] }],
  ['supabase', { id: 'u', identities: [{ provider: 'custom:acme-eu', provider_id: '17' }] }],
  ['stack', { id: 'u', oauth_providers: [{ id: 'acme-eu', account_id: '17' }] }],
  ['csv', { id: 'u', 'acme-eu_account_id': '17' }],
  ['json', { id: 'u', oauth_providers: [{ id: 'acme-eu', account_id: '17' }] }],
  ['json', { id: 'u', oauthProviders: [{ id: 'acme-eu', accountId: '17' }] }],
])('accounts at an OpenID Connect provider come from %s', async (source, row) => {
  const { users, brief } = await importFile(source, await write('openid.ndjson', JSON.stringify(row)));
  expect([users.created, brief]).toEqual([1, []]);
  const account = { provider: 'acme-eu', accountId: '17' };
  const found = await findOAuthUser(world.deps, accountRefOf(world.deps, world.projectId, account));
  expect(found?.user.oauthAccounts).toMatchObject([account]);
});
