import { notificationCategories } from '@gatebook/contract/notifications';
import type { PreviewView } from '@gatebook/contract/previews';
import { sized } from '@gatebook/runtime/testing/campaign';
import { expect, test, vi } from 'vitest';
import { type Interference, interferencesWith } from '../../testing/interferences.ts';
import { createProject, expectKnown, newEmail, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ rateLimits: true });
const project = await createProject(send, {
  config: { allow_user_api_keys: true, allow_team_api_keys: true, magic_link_enabled: true },
});
const asAdmin = { ...project, access: 'admin' } as const;

type Write = { method: string; path: string; body?: unknown };
const write = ({ method, path, body }: Write, headers: Record<string, string> = {}) =>
  send(method, path, { ...asAdmin, headers, ...(body !== undefined && { body }) });

/** The same numbers in each run (a linear congruential generator). */
let seed = 20_261_123;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}
const pick = <T>(list: readonly [T, ...T[]]): T => list[random(list.length)] ?? list[0];

const ids = {
  users: [unknownId] as [string, ...string[]],
  teams: [unknownId] as [string, ...string[]],
  channels: [[unknownId, unknownId]] as [[string, string], ...[string, string][]],
  keys: [unknownId] as [string, ...string[]],
  projectKeys: [unknownId] as [string, ...string[]],
};
const permissions = ['a', 'b', 'c', 'd', 'e'] as const;
const text = () => pick(['x', 'y', 'z', '']);
const user = () => pick(ids.users);
const team = () => pick(ids.teams);
const scope = () => pick(['team', 'project']);

const patchProject = (config: object): Write => ({
  method: 'PATCH',
  path: '/internal/projects/current',
  body: { display_name: pick(['App', 'Shop']), config },
});
const writes: readonly [() => Write, ...(() => Write)[]] = [
  () => ({
    method: 'POST',
    path: '/users',
    body: {
      display_name: text(),
      primary_email: pick([newEmail(), 'taken@example.com']),
      primary_email_auth_enabled: pick([true, false]),
      primary_email_verified: pick([true, false]),
      ...(random(3) === 0 && { password: 'correct horse battery' }),
    },
  }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { display_name: text(), client_metadata: random(3) } }),
  () => ({
    method: 'PATCH',
    path: `/users/${user()}`,
    body: { primary_email: pick([newEmail(), 'taken@example.com', null]), primary_email_auth_enabled: true },
  }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { restricted_by_admin: pick([true, false]) } }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { selected_team_id: team() } }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { otp_auth_enabled: pick([true, false]) } }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { password: pick(['battery staple', null]) } }),
  () => ({ method: 'PATCH', path: `/users/${user()}`, body: { unknown_field: 1 } }),
  () => ({ method: 'DELETE', path: `/users/${user()}` }),
  () => ({ method: 'POST', path: `/internal/users/${user()}/restore` }),
  () => ({ method: 'POST', path: `/internal/users/${user()}/erase` }),
  () => ({
    method: 'POST',
    path: '/contact-channels',
    body: { user_id: user(), type: 'email', value: pick([newEmail(), 'taken@example.com']), used_for_auth: true },
  }),
  () => {
    const [userId, channel] = pick(ids.channels);
    const body = { is_verified: pick([true, false]), used_for_auth: pick([true, false]), is_primary: true };
    return { method: 'PATCH', path: `/contact-channels/${userId}/${channel}`, body };
  },
  () => ({ method: 'DELETE', path: `/contact-channels/${pick(ids.channels).join('/')}` }),
  () => ({
    method: 'POST',
    path: '/teams',
    body: { display_name: 'T', ...(random(2) && { creator_user_id: user() }) },
  }),
  () => ({
    method: 'PATCH',
    path: `/teams/${team()}`,
    body: { display_name: text(), server_metadata: { a: random(3) } },
  }),
  () => ({ method: 'DELETE', path: `/teams/${team()}` }),
  () => ({ method: 'POST', path: `/team-memberships/${team()}/${user()}`, body: {} }),
  () => ({ method: 'DELETE', path: `/team-memberships/${team()}/${user()}` }),
  () => ({ method: 'PATCH', path: `/team-member-profiles/${team()}/${user()}`, body: { display_name: text() } }),
  () => ({
    method: 'POST',
    path: `/${scope()}-permission-definitions`,
    body: { id: pick(permissions), contained_permission_ids: random(2) ? [pick(permissions)] : [] },
  }),
  () => ({
    method: 'PATCH',
    path: `/${scope()}-permission-definitions/${pick(permissions)}`,
    body: { id: pick(permissions), contained_permission_ids: [pick(permissions)] },
  }),
  () => ({ method: 'DELETE', path: `/${scope()}-permission-definitions/${pick(permissions)}` }),
  () => ({ method: 'POST', path: `/team-permissions/${team()}/${user()}/${pick(permissions)}`, body: {} }),
  () => ({ method: 'DELETE', path: `/team-permissions/${team()}/${user()}/${pick(permissions)}` }),
  () => ({ method: 'POST', path: `/project-permissions/${user()}/${pick(permissions)}`, body: {} }),
  () => ({ method: 'DELETE', path: `/project-permissions/${user()}/${pick(permissions)}` }),
  () => patchProject({ sign_up_enabled: pick([true, false]), domains: [] }),
  () => patchProject({ oauth_providers: [{ id: 'github', type: 'standard', client_id: 'i', client_secret: text() }] }),
  () => patchProject({ user_default_permissions: [{ id: pick(permissions) }] }),
  () => ({
    method: 'PATCH',
    path: '/internal/projects/current/settings',
    body: {
      user_deletion_grace_days: pick([0, 30]),
      team_deletion_grace_days: pick([0, 30]),
      quotas: { domains: pick([1, 2]) },
    },
  }),
  () => ({
    method: 'PATCH',
    path: '/internal/config/override/environment',
    body: { config_override_string: JSON.stringify({ 'teams.allowClientTeamCreation': pick([true, false]) }) },
  }),
  () => ({
    method: 'PUT',
    path: '/internal/projects/current/password-migration',
    body: { url: pick([null, 'https://old.example.com/']) },
  }),
  () => ({
    method: 'POST',
    path: '/internal/api-keys',
    body: {
      description: 'k',
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: false,
    },
  }),
  () => ({
    method: 'PATCH',
    path: `/internal/api-keys/${pick(ids.projectKeys)}`,
    body: pick([{ description: 'named' }, { revoked: true }]),
  }),
  () => ({
    method: 'POST',
    path: '/user-api-keys',
    body: { user_id: user(), description: 'k', expires_at_millis: null, is_public: pick([true, false]) },
  }),
  () => ({
    method: 'PATCH',
    path: `/user-api-keys/${pick(ids.keys)}`,
    body: pick([{ description: 'named' }, { revoked: true }]),
  }),
  () => ({
    method: 'POST',
    path: `/user-api-keys/${pick(ids.keys)}/rotate`,
    body: { expires_at_millis: null, old_expires_at_millis: Date.parse('2098-01-01') },
  }),
  () => ({
    method: 'PATCH',
    path: `/emails/notification-preference/${user()}/${notificationCategories.marketing.id}`,
    body: { enabled: pick([true, false]) },
  }),
  () => ({ method: 'DELETE', path: `/email-templates/${pick(['magic_link', 'password_reset'])}` }),
  () => ({
    method: 'PUT',
    path: `/internal/email-templates/magic_link/versions/${pick(['de-DE', 'fr-FR'])}`,
    body: { subject: pick(['Eins', 'Deux']), content: { root: { type: 'EmailLayout', data: { childrenIds: [] } } } },
  }),
  () => ({ method: 'DELETE', path: `/internal/email-templates/magic_link/versions/${pick(['de-DE', 'fr-FR'])}` }),
  () => ({
    method: 'POST',
    path: '/oauth-providers',
    body: {
      user_id: user(),
      provider_config_id: 'github',
      account_id: pick(['1', '2']),
      allow_sign_in: true,
      allow_connected_accounts: true,
    },
  }),
];

/** Remembers what later writes can be about. */
function remember({ path }: Write, body: Record<string, unknown>): void {
  const id = String(body.id);
  if (path === '/users') ids.users.push(id);
  if (path === '/teams') ids.teams.push(id);
  if (path === '/contact-channels') ids.channels.push([String(body.user_id), id]);
  if (path === '/user-api-keys') ids.keys.push(id);
  if (path === '/internal/api-keys') ids.projectKeys.push(id);
}

/**
 * The log, and every table that does not follow from it: idempotency records, rejections, activity, keys. Without signs
 * of life.
 */
async function snapshot(): Promise<unknown> {
  const { rows: tables } = await api.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname !~ '^(pg_|information_schema|peers|readmodel$|main|metrics|audit|events|past)' order by 1`,
  );
  expect(tables.length).toBeGreaterThan(5);
  const sums = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as sum from ${name} t`,
  );
  const { rows } = await api.pool.query(sums.join(' union all '));
  return { rows, head: await api.deps.store.head() };
}

/** Waits until the tables have everything about earlier requests, and the next one reads what they wrote. */
async function settle(): Promise<void> {
  await Promise.all([api.deps.rejections.flush(), api.deps.activity.flush()]);
  const head = await api.deps.store.head();
  await vi.waitFor(async () => expect(await api.deps.readModels.reached(head)).toBe('reached'), { timeout: 60_000 });
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Without IDs that are not in the text of the preview, as previews show them. */
function withoutNewIds(changes: unknown, known: string): unknown {
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return (value.match(uuid) ?? []).some((id) => !known.includes(id)) ? null : value;
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (name !== 'field') return [name, hide(inner)];
        return [name, String(inner).replace(uuid, (id) => (known.includes(id) ? id : 'new'))];
      }),
    );
  };
  return hide(changes);
}

const timed = /(expires|signed_up|erased|created|revoked)_at_millis$|^last_four$/;
type Change = { field: string };
const comparable = (changes: readonly Change[]) => changes.filter(({ field }) => !timed.test(field));

test('check 23: a preview changes nothing, and the write then answers and changes what it said', async () => {
  await write({
    method: 'POST',
    path: '/users',
    body: { primary_email: 'taken@example.com', primary_email_auth_enabled: true },
  });
  const statuses = new Map<number, number>();
  for (let nth = 0; nth < sized({ inTest: 60, inCampaign: 500 }); nth += 1) {
    const next = pick(writes)();
    await settle();
    const before = await snapshot();
    const headers = { 'idempotency-key': `preview ${nth}`.replace(' ', '-') };
    let { body: view, text } = await send('POST', '/internal/previews', { ...asAdmin, headers, body: next });
    expect(view, JSON.stringify(next)).toHaveProperty('etag');
    expect(await snapshot(), text).toEqual(before);
    expect(view.etag === null).toBe(view.status >= 400);

    if (nth % 5 === 0 && view.status < 400 && view.events.length > 0)
      ({ body: view, text } = await interfere(next, view));
    const done = await write(next, view.etag === null || nth % 5 === 1 ? {} : { 'if-match': `"${view.etag}"` });
    expect([done.status, done.headers['x-stack-known-error'] ?? null]).toEqual([view.status, view.error?.code ?? null]);
    statuses.set(done.status, (statuses.get(done.status) ?? 0) + 1);
    if (done.status >= 400) continue;
    remember(next, done.body);
    // What an erasure removed can't be read any more.
    if (view.effects.some(({ kind }: { kind: string }) => kind === 'erasure')) continue;
    const action = await send('GET', `/internal/actions/${done.headers['x-stack-request-id']}`, asAdmin);
    const changes = action.status === 404 ? [] : action.body.changes;
    expect(comparable(view.changes)).toEqual(comparable(withoutNewIds(changes, text) as Change[]));
  }
  for (const status of [200, 201, 400, 404]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
  expect(interfered.size).toBeGreaterThanOrEqual(sized({ inTest: 2, inCampaign: 4 }));
});

const interfered = new Map<string, number>();

/** Sends a write with the ETag of a preview whose basis has changed. @returns the new preview */
async function interfere(next: Write, view: PreviewView) {
  const [head, made] = await interfereOnce(interferencesWith(project.projectId, next.path, view.changes));
  interfered.set(made.kind, (interfered.get(made.kind) ?? 0) + 1);
  const rejected = await write(next, { 'if-match': `"${view.etag}"` });
  expectKnown(rejected, 412, 'PREVIEW_OUTDATED', { changed: [made.changed] });
  expect(await api.deps.store.head()).toBe(head);
  const again = await send('POST', '/internal/previews', { ...asAdmin, body: next });
  expect([again.body.status, again.body.etag === view.etag]).toEqual([view.status, false]);
  return again;
}

/** The kind that was least frequent so far, if it is possible: a deleted user can't be changed. */
async function interfereOnce(possible: readonly Interference[]): Promise<[head: bigint, Interference]> {
  const rarestFirst = [...possible].sort(
    (one, other) => (interfered.get(one.kind) ?? 0) - (interfered.get(other.kind) ?? 0),
  );
  for (const each of rarestFirst) {
    if ((await write(each.write)).status >= 300) continue;
    return [await api.deps.store.head(), each];
  }
  throw new Error('the project can always be changed');
}
