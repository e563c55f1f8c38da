import { describe, expect, test } from 'vitest';
import {
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type OwnedProject,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const shared = await createProject(send);
const at = '/internal/config';

type Level = 'project' | 'branch' | 'environment';
const asAdmin = (project: OwnedProject) => ({ ...project, access: 'admin' as const });
const read = async (project: OwnedProject) => JSON.parse((await send('GET', at, asAdmin(project))).body.config_string);
const readLevel = async (project: OwnedProject, level: Level) =>
  JSON.parse((await send('GET', `${at}/override/${level}`, asAdmin(project))).body.config_string);
const push = (project: OwnedProject, config: unknown, level: Level = 'branch', source?: unknown) =>
  send('PUT', `${at}/override/${level}`, {
    ...asAdmin(project),
    body: { config_string: JSON.stringify(config), ...(source ? { source } : {}) },
  });
const update = (project: OwnedProject, config: unknown, level: Level = 'environment') =>
  send('PATCH', `${at}/override/${level}`, {
    ...asAdmin(project),
    body: { config_override_string: JSON.stringify(config) },
  });
const reset = (project: OwnedProject, level: Level, ...keys: string[]) =>
  send('POST', `${at}/override/${level}/reset-keys`, { ...asAdmin(project), body: { keys } });
const settingsOf = async (project: OwnedProject) =>
  (await send('GET', '/internal/projects/current', asAdmin(project))).body.config;

const smtp = { host: 'mail.example', port: 587, username: 'shop', password: 'swordfish' };
const everything = {
  project: { requirePublishableClientKey: true },
  auth: {
    allowSignUp: false,
    password: { allowSignIn: false },
    otp: { allowSignIn: true },
    passkey: { allowSignIn: true },
    oauth: {
      accountMergeStrategy: 'raise_error',
      providers: {
        github: {
          ...{ type: 'github', isShared: false, clientId: 'id', clientSecret: 'secret' },
          ...{ allowSignIn: true, allowConnectedAccounts: true },
        },
        google: { type: 'google', isShared: true, allowSignIn: true, allowConnectedAccounts: true },
      },
    },
  },
  teams: { allowClientTeamCreation: true, createPersonalTeamOnSignUp: true },
  users: { allowClientUserDeletion: true },
  apiKeys: { enabled: { user: true, team: true } },
  onboarding: { requireEmailVerification: true },
  domains: {
    allowLocalhost: false,
    trustedDomains: { main: { baseUrl: 'https://shop.example', handlerPath: '/auth' } },
  },
  emails: {
    server: { isShared: false, provider: 'smtp', ...smtp, senderName: 'Shop', senderEmail: 'shop@shop.example' },
  },
  rbac: {
    permissions: {
      writer: { scope: 'team', containedPermissionIds: { reader: true } },
      reader: { scope: 'team', description: 'Reads', containedPermissionIds: { $read_members: true } },
    },
    defaultPermissions: { teamCreator: { writer: true }, teamMember: { reader: true }, signUp: {} },
  },
};

describe('the configuration of a project', () => {
  test('is the settings in force, however they were set', async () => {
    const project = await createProject(send);
    await changeConfig(send, project, {
      magic_link_enabled: true,
      domains: [{ domain: 'https://shop.example:8443', handler_path: '/h' }],
    });
    await changeSettings(send, project, { keyless_clients_allowed: false });
    expect(await read(project)).toMatchObject({
      project: { requirePublishableClientKey: true },
      auth: { otp: { allowSignIn: true }, password: { allowSignIn: true } },
      domains: { trustedDomains: { 'shop-example-8443': { baseUrl: 'https://shop.example:8443', handlerPath: '/h' } } },
      emails: { server: { isShared: true } },
      payments: { products: {} },
    });
    expect(await readLevel(project, 'environment')).toMatchObject({ 'auth.otp.allowSignIn': true });
    expect(await readLevel(project, 'project')).toEqual({ 'project.requirePublishableClientKey': true });
    expect(await readLevel(project, 'branch')).toEqual({});
  });

  test('changes every setting that it names, and reads back', async () => {
    const project = await createProject(send);
    const { project: ofProject, ...ofEnvironment } = everything;
    expect((await update(project, { project: ofProject }, 'project')).status).toBe(200);
    const updated = await update(project, ofEnvironment);
    expect({ status: updated.status, body: updated.body }).toEqual({ status: 200, body: { success: true } });
    expect(await read(project)).toMatchObject(everything);
    expect(await settingsOf(project)).toMatchObject({
      ...{ sign_up_enabled: false, credential_enabled: false, magic_link_enabled: true, passkey_enabled: true },
      oauth_account_merge_strategy: 'raise_error',
      oauth_providers: [
        { id: 'github', type: 'standard', client_id: 'id', client_secret: 'secret' },
        { id: 'google', type: 'shared' },
      ],
      ...{ client_team_creation_enabled: true, create_team_on_sign_up: true, client_user_deletion_enabled: true },
      ...{ allow_user_api_keys: true, allow_team_api_keys: true, allow_localhost: false },
      domains: [{ domain: 'https://shop.example', handler_path: '/auth' }],
      email_config: { type: 'standard', ...smtp, sender_name: 'Shop', sender_email: 'shop@shop.example' },
      team_creator_default_permissions: [{ id: 'writer' }],
      team_member_default_permissions: [{ id: 'reader' }],
    });
    const definitions = await send('GET', '/team-permission-definitions', asAdmin(project));
    expect(definitions.body.items).toContainEqual({ id: 'writer', contained_permission_ids: ['reader'] });
    const { body } = await send('GET', '/internal/projects/current/settings', asAdmin(project));
    expect(body).toMatchObject({ keyless_clients_allowed: false, email_verification_required: true });
  });

  test('can be written back as it was read', async () => {
    const project = await createProject(send);
    await update(project, { 'auth.otp.allowSignIn': true });
    const { project: _project, sourceOfTruth: _source, ...document } = await read(project);
    const before = await settingsOf(project);
    expect((await push(project, document, 'environment')).status).toBe(200);
    expect(await settingsOf(project)).toEqual(before);
  });
});

describe('levels', () => {
  test('of the environment win over a pushed file, also over a later one', async () => {
    const project = await createProject(send);
    await update(project, { 'auth.allowSignUp': true });
    await push(project, { auth: { allowSignUp: false, passkey: { allowSignIn: true } } });
    expect(await settingsOf(project)).toMatchObject({ sign_up_enabled: true, passkey_enabled: true });
    await reset(project, 'environment', 'auth');
    expect(await settingsOf(project)).toMatchObject({ sign_up_enabled: false, passkey_enabled: true });
  });

  test('keep what was changed in the dashboard when a file is pushed', async () => {
    const project = await createProject(send);
    await push(project, { auth: { passkey: { allowSignIn: true } } });
    await changeConfig(send, project, { passkey_enabled: false });
    expect(await readLevel(project, 'environment')).toEqual({ 'auth.passkey.allowSignIn': false });
    for (const allowSignIn of [false, true]) await push(project, { auth: { passkey: { allowSignIn } } });
    expect(await settingsOf(project)).toMatchObject({ passkey_enabled: false });
    expect(await readLevel(project, 'branch')).toEqual({ auth: { passkey: { allowSignIn: true } } });
  });

  test('take back what the next file no longer says', async () => {
    const project = await createProject(send);
    await push(project, { teams: { allowClientTeamCreation: true }, 'apiKeys.enabled.user': true });
    expect(await settingsOf(project)).toMatchObject({ client_team_creation_enabled: true, allow_user_api_keys: true });
    await push(project, { 'apiKeys.enabled.user': true });
    expect(await settingsOf(project)).toMatchObject({ client_team_creation_enabled: false, allow_user_api_keys: true });
  });

  test('combine a provider of the file with its keys of the environment, in any order', async () => {
    const project = await createProject(send);
    const keys = { isShared: false, clientId: 'id', clientSecret: 'secret' };
    await update(
      project,
      Object.fromEntries(Object.entries(keys).map(([key, value]) => [`auth.oauth.providers.apple.${key}`, value])),
    );
    expect(await settingsOf(project)).toMatchObject({ oauth_providers: [] });
    const apple = { type: 'apple', allowSignIn: true, allowConnectedAccounts: true };
    await push(project, { auth: { oauth: { providers: { apple } } } });
    expect(await settingsOf(project)).toMatchObject({
      oauth_providers: [{ id: 'apple', type: 'standard', client_id: 'id', client_secret: 'secret' }],
    });
    expect((await read(project)).auth.oauth.providers.apple).toEqual({ ...apple, ...keys });
    await push(project, {});
    expect(await settingsOf(project)).toMatchObject({ oauth_providers: [] });
  });

  test('keep the IDs of domains, and remove a domain that an owner removed', async () => {
    const project = await createProject(send);
    await update(project, {
      'domains.trustedDomains.main': { baseUrl: 'https://a.example' },
      'domains.trustedDomains.other': { baseUrl: 'https://b.example', handlerPath: '/h' },
    });
    await changeConfig(send, project, { domains: [{ domain: 'https://b.example', handler_path: '/h' }] });
    expect((await read(project)).domains.trustedDomains).toEqual({
      other: { baseUrl: 'https://b.example', handlerPath: '/h' },
    });
    await update(project, { 'domains.trustedDomains.other': null });
    expect((await read(project)).domains.trustedDomains).toEqual({});
  });

  test('are written by older libraries without a name', async () => {
    const project = await createProject(send);
    const body = { config_override_string: JSON.stringify({ 'auth.passkey.allowSignIn': true }) };
    expect((await send('PATCH', `${at}/override`, { ...asAdmin(project), body })).body).toEqual({ success: true });
    expect(await readLevel(project, 'environment')).toEqual({ 'auth.passkey.allowSignIn': true });
  });
});

describe('the source of a pushed configuration', () => {
  const github = {
    ...{ type: 'pushed-from-github', owner: 'acme', repo: 'shop', branch: 'main' },
    ...{ commit_hash: 'abc', config_file_path: 'gatebook.config.ts' },
  };
  const sourceOf = async (project: OwnedProject) => (await send('GET', `${at}/source`, asAdmin(project))).body;

  test('is stored with a push, stays with a change, and can be unlinked', async () => {
    const project = await createProject(send);
    expect(await sourceOf(project)).toEqual({ source: { type: 'unlinked' } });
    await push(project, { 'auth.passkey.allowSignIn': true }, 'branch', github);
    expect(await sourceOf(project)).toEqual({ source: github });
    await update(project, { 'auth.otp.allowSignIn': true }, 'branch');
    expect(await sourceOf(project)).toEqual({ source: github });
    await push(project, {}, 'branch', { ...github, workflow_path: '.github/x.yml' });
    expect(await sourceOf(project)).toEqual({ source: { ...github, workflow_path: '.github/x.yml' } });
    await push(project, { 'auth.passkey.allowSignIn': true }, 'branch', { type: 'pushed-from-unknown' });
    expect(await sourceOf(project)).toEqual({ source: { type: 'pushed-from-unknown' } });
    expect((await send('DELETE', `${at}/source`, { ...asAdmin(project), body: {} })).body).toEqual({ success: true });
    expect(await sourceOf(project)).toEqual({ source: { type: 'unlinked' } });
    expect(await settingsOf(project)).toMatchObject({ passkey_enabled: true });
  });

  test('is rejected if it is incomplete', async () => {
    const project = await createProject(send);
    expectSchemaError(await push(project, {}, 'branch', { type: 'pushed-from-github' }), 'body.source.owner');
  });
});

describe('a document with faults', () => {
  test.each<[unknown, string]>([
    [{ 'auth.password.allowSignIn': 'yes' }, 'auth.password.allowSignIn: '],
    [{ auth: { password: { allowSignin: true } } }, 'auth.password.allowSignin is unknown'],
    [{ 'no.such.field': 1 }, 'no.such.field is unknown'],
    [{ 'auth.__proto__.x': 1 }, 'auth.__proto__.x is unknown'],
    [{ auth: { 'password.allowSignIn': true } }, 'auth.password.allowSignIn is not a valid key'],
    [{ 'a..b': 1 }, 'a..b is not a valid key'],
    [{ 'payments.products.pro': { displayName: 'Pro' } }, 'payments.products: is not offered by Gatebook'],
    [{ 'apps.installed.payments.enabled': true }, 'apps.installed.payments.enabled: is not offered by Gatebook'],
    [{ 'apps.installed.teams.enabled': false }, 'apps.installed.teams.enabled: is always on in Gatebook'],
    [{ 'emails.selectedThemeId': 'x' }, 'emails.selectedThemeId: is not offered by Gatebook'],
    [{ 'emails.server.isShared': false }, 'emails.server.host: is required unless isShared is true'],
    [{ 'emails.server.provider': 'managed' }, 'emails.server.provider: must be smtp'],
    [{ 'domains.trustedDomains.a.baseUrl': 'ftp://a.example' }, 'domains.trustedDomains.a.baseUrl: must be a URL'],
    [{ 'auth.oauth.providers.mine.type': 'github' }, 'auth.oauth.providers.mine.type: must be the ID of the entry'],
    [
      { 'auth.oauth.providers.github': { type: 'github', allowSignIn: true } },
      'auth.oauth.providers.github.allowConnectedAccounts: must equal allowSignIn',
    ],
    [{ 'project.requirePublishableClientKey': true }, 'can only be set at the level project'],
    [[], 'body.config_override_string must be a JSON object'],
  ])('%j is rejected with the path of the fault', async (config, fault) => {
    expectSchemaError(await update(shared, config), fault);
    expect(await readLevel(shared, 'environment')).toEqual({});
  });

  test.each<[Level, unknown]>([
    ['branch', { 'domains.allowLocalhost': false }],
    ['branch', { 'auth.oauth.providers.github.clientSecret': 'x' }],
    ['branch', { auth: { oauth: { providers: { github: { type: 'github', clientSecret: 'x' } } } } }],
    ['branch', { 'emails.server.password': 'x' }],
  ])('a %s can’t say %j, which belongs to the environment', async (level, config) => {
    expectSchemaError(await push(shared, config, level), 'can only be set at the level environment');
  });

  test('is rejected like the same change of the settings', async () => {
    expectPlain(await update(shared, { 'rbac.defaultPermissions.signUp.nobody': true }), 400);
    const cycle = { scope: 'team', containedPermissionIds: { a: true } };
    expectPlain(await update(shared, { 'rbac.permissions.a': cycle }), 400);
    const permission = { scope: 'team', containedPermissionIds: { nothing: true } };
    expectKnown(await update(shared, { 'rbac.permissions.a': permission }), 400, 'CONTAINED_PERMISSION_NOT_FOUND', {
      permission_id: 'nothing',
    });
    const apple = { type: 'apple', allowSignIn: true, allowConnectedAccounts: true };
    expectKnown(
      await push(shared, { auth: { oauth: { providers: { apple } } } }),
      400,
      'INVALID_SHARED_OAUTH_PROVIDER_ID',
      { provider_id: 'apple' },
    );
  });

  test('is not JSON, too long, or of an unknown level', async () => {
    const body = { config_override_string: '{' };
    expectSchemaError(
      await send('PATCH', `${at}/override/branch`, { ...asAdmin(shared), body }),
      'body.config_override_string is not valid JSON',
    );
    const long = { 'rbac.permissions.x': { scope: 'team', description: 'x'.repeat(70_000) } };
    expectSchemaError(await update(shared, long), 'body.config_override_string');
    expectSchemaError(await send('GET', `${at}/override/organization`, asAdmin(shared)), 'params.level');
  });
});
