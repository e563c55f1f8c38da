import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { pastGroup } from '@gatebook/readmodel/projection-groups';
import { makeOlder } from '@gatebook/readmodel/testing/older-log';
import { pause } from '@gatebook/runtime/pause';
import { sized } from '@gatebook/runtime/testing/campaign';
import { expect, test } from 'vitest';
import { type Answer, type Call, changeConfig, changeSettings, createProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ history: true });
const project = await createProject(send);
const newer = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
const call =
  (access: NonNullable<Call['access']>) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, path, { ...project, access, headers, ...(body !== undefined && { body }) });
const [server, admin] = [call('server'), call('admin')];

/** Numbers below `below`, the same in every run (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
const random = createRandom(15);
const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;

const users: string[] = [];
const teams: string[] = [];
const channels: [userId: string, channelId: string][] = [];
const permissions: ['team' | 'project', string][] = [];
/** By path: the query that reads it. */
const keys = new Map<string, string>();
let named = 0;
const nextName = () => {
  named += 1;
  return `name ${named}`;
};
const image = `data:image/png;base64,${'A'.repeat(20_000)}`;

const changes: readonly (() => Promise<Answer>)[] = [
  async () => {
    const primary_email = `u${named}@example.com`;
    const made = await server('POST', '/users', { display_name: nextName(), primary_email, password: 'long enough' });
    users.push(made.body.id);
    return made;
  },
  () => server('PATCH', `/users/${oneOf(users)}`, { display_name: nextName() }),
  () => server('PATCH', `/users/${oneOf(users)}`, { server_metadata: { n: random(100) } }),
  () => server('PATCH', `/users/${oneOf(users)}`, { profile_image_url: random(2) ? image : null }),
  () => server('PATCH', `/users/${oneOf(users)}`, { primary_email: `p${random(10_000)}@example.com` }),
  () =>
    server('PATCH', `/users/${oneOf(users)}`, { restricted_by_admin: true, restricted_by_admin_reason: nextName() }),
  async () => {
    const user_id = oneOf(users);
    const made = await server('POST', '/contact-channels', {
      user_id,
      type: 'email',
      value: `c${named}.${random(10_000)}@example.com`,
      used_for_auth: false,
    });
    if (made.status === 201) channels.push([user_id, made.body.id]);
    return made;
  },
  () => {
    const [userId = oneOf(users), id = oneOf(users)] = oneOf(channels) ?? [];
    return server('PATCH', `/contact-channels/${userId}/${id}`, { is_verified: random(2) === 1 });
  },
  () => {
    const [userId = oneOf(users), id = oneOf(users)] = oneOf(channels) ?? [];
    return server('DELETE', `/contact-channels/${userId}/${id}`);
  },
  async () => {
    const made = await server('POST', '/teams', { display_name: nextName(), creator_user_id: oneOf(users) });
    if (made.status === 201) teams.push(made.body.id);
    return made;
  },
  () => server('PATCH', `/teams/${oneOf(teams)}`, { display_name: nextName(), client_metadata: { n: random(9) } }),
  () => server('POST', `/team-memberships/${oneOf(teams)}/${oneOf(users)}`, {}),
  () => server('DELETE', `/team-memberships/${oneOf(teams)}/${oneOf(users)}`),
  () => server('PATCH', `/team-member-profiles/${oneOf(teams)}/${oneOf(users)}`, { display_name: nextName() }),
  async () => {
    const scope = oneOf(['team', 'project'] as const);
    const id = `p_${random(10_000)}`;
    const made = await admin('POST', `/${scope}-permission-definitions`, { id, description: nextName() });
    if (made.status === 201) permissions.push([scope, id]);
    return made;
  },
  async () => {
    const permission = oneOf(permissions);
    const [scope = 'team', id = 'none'] = permission ?? [];
    const changed = await admin('PATCH', `/${scope}-permission-definitions/${id}`, { id: `r_${random(10_000)}` });
    if (changed.status === 200) permission[1] = changed.body.id;
    return changed;
  },
  () => {
    const [scope = 'team', id = 'none'] = oneOf(permissions) ?? [];
    return admin('DELETE', `/${scope}-permission-definitions/${id}`);
  },
  () => grant('POST'),
  () => grant('POST'),
  () => grant('DELETE'),
  async () => {
    const owner = random(2) === 0 ? { user_id: oneOf(users) } : { team_id: oneOf(teams) };
    const path = 'user_id' in owner ? '/user-api-keys' : '/team-api-keys';
    const made = await server('POST', path, { ...owner, description: nextName(), expires_at_millis: null });
    const query = 'user_id' in owner ? `user_id=${owner.user_id}` : `team_id=${owner.team_id}`;
    if (made.status === 200) keys.set(`${path}/${made.body.id}`, query);
    return made;
  },
  () =>
    server('PATCH', keys.size > 0 ? oneOf([...keys.keys()]) : '/user-api-keys/none', {
      revoked: random(2) === 0,
      description: nextName(),
    }),
  async () => {
    const user_id = oneOf(users);
    return server('POST', '/auth/sessions', { user_id, is_impersonation: random(3) === 0 });
  },
  async () => {
    const user_id = oneOf(users);
    const { body } = await server('GET', `/auth/sessions?user_id=${user_id}`);
    const id = body.items?.[0]?.id ?? user_id;
    return server('DELETE', `/auth/sessions/${id}?user_id=${user_id}`);
  },
  () => changeConfig(send, project, { magic_link_enabled: random(2) === 0 }),
  () => admin('PATCH', '/internal/projects/current', { display_name: nextName() }),
  () => changeSettings(send, project, { email_verification_required: random(2) === 0 }),
  () =>
    admin('POST', '/internal/api-keys', {
      description: nextName(),
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: true,
      has_secret_server_key: false,
      has_super_secret_admin_key: false,
    }),
  () => admin('PATCH', '/email-templates/magic_link', { subject: nextName() }),
  () => admin('DELETE', '/email-templates/magic_link'),
  () =>
    admin('PUT', '/internal/email-templates/magic_link/versions/de-DE', {
      subject: nextName(),
      content: { root: { type: 'EmailLayout', data: { childrenIds: [] } } },
    }),
  () => admin('DELETE', '/internal/email-templates/magic_link/versions/de-DE'),
  // Ends everything of the user at once; within the grace period, nothing is erased.
  () => (random(3) === 0 ? server('DELETE', `/users/${oneOf(users)}`) : server('GET', '/users')),
  () => admin('POST', `/internal/users/${oneOf(users)}/restore`, {}),
  () => (random(2) === 0 ? server('DELETE', `/teams/${oneOf(teams)}`) : server('GET', '/teams')),
  () => admin('POST', `/internal/teams/${oneOf(teams)}/restore`, {}),
  () => eraseOneOf('users', users),
  () => eraseOneOf('teams', teams),
  async () => {
    await admin('DELETE', '/internal/projects/current', {});
    return send('POST', '/internal/projects/current/restore', {
      projectId: project.projectId,
      access: 'admin',
      headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': project.owner.accessToken },
      body: {},
    });
  },
];

/** Users and teams whose personal data is gone from all moments, and the names that they had. */
const erased = { ids: new Set<string>(), names: new Set<string>() };

async function eraseOneOf(kind: 'users' | 'teams', ids: readonly string[]) {
  const id = oneOf(ids);
  if (random(4) > 0 || erased.ids.size >= 4) return server('GET', `/${kind}/${id}`);
  const shown = await server('GET', `/${kind}/${id}`);
  const answer = await admin('POST', `/internal/${kind}/${id}/erase`, {});
  if (answer.status === 200) {
    erased.ids.add(id);
    const { display_name: name, primary_email: address } = shown.status === 200 ? shown.body : {};
    for (const text of [name, address]) if (typeof text === 'string') erased.names.add(text);
  }
  return answer;
}

async function grant(method: 'POST' | 'DELETE') {
  const [scope = 'team', id = 'none'] = oneOf(permissions) ?? [];
  const path = scope === 'team' ? `/team-permissions/${oneOf(teams)}` : '/project-permissions';
  return server(method, `${path}/${oneOf(users)}/${id}`, method === 'POST' ? {} : undefined);
}

type Read = { access: 'server' | 'admin'; path: string };
/** Reads that can show the past, of everything that has existed: about `count` of servers, and all of admins. */
function reads(count: number): Read[] {
  const ofServer = [
    '/users',
    '/users?limit=3&desc=true&include_anonymous=true',
    '/users?query=example&limit=4',
    '/users?query=na',
    '/teams',
    '/teams?query=name',
    '/team-member-profiles',
    '/team-permissions?recursive=true',
    '/project-permissions',
    '/contact-channels',
    '/projects/current',
    ...users.flatMap((id) => [
      `/users/${id}`,
      `/teams?user_id=${id}`,
      `/auth/sessions?user_id=${id}`,
      `/user-api-keys?user_id=${id}`,
      `/contact-channels?user_id=${id}`,
      `/project-permissions?user_id=${id}`,
    ]),
    ...teams.flatMap((id) => [
      `/teams/${id}`,
      `/team-member-profiles?team_id=${id}`,
      `/team-api-keys?team_id=${id}`,
      `/users?team_id=${id}`,
    ]),
    ...channels.map(([userId, id]) => `/contact-channels/${userId}/${id}`),
    ...[...keys].map(([path, query]) => `${path}?${query}`),
  ];
  const ofAdmin = [
    '/internal/projects/current',
    '/internal/projects/current/settings',
    '/internal/api-keys',
    '/email-templates',
    '/email-templates/magic_link',
    '/internal/email-template-versions',
    '/internal/email-templates/magic_link/versions/de-DE',
    '/team-permission-definitions',
    '/project-permission-definitions',
  ];
  const sampled = ofServer.filter(() => random(ofServer.length) < count);
  return [
    ...sampled.map((path) => ({ access: 'server', path }) as const),
    ...ofAdmin.map((path) => ({ access: 'admin', path }) as const),
  ];
}

const omitted = [
  ...['last_active_at_millis', 'last_used_at', 'last_used_at_millis', 'last_used_at_end_user_ip_info'],
  ...['client_secret', 'password'],
];
const comparable = (text: string) =>
  JSON.stringify(JSON.parse(text), (key, value) => (omitted.includes(key) ? undefined : value));

/** Some rows have views that only newer clients get. */
const headersOf = (nth: number): Record<string, string> => (nth % 2 === 0 ? newer : {});
const read = ({ access, path }: Read, nth: number, asOf?: string) => {
  const moment = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${asOf}`;
  return call(access)('GET', `${path}${moment}`, undefined, headersOf(nth));
};

type Snapshot = { moment: string; answers: { read: Read; status: number; body: string }[] };
const snapshots: Snapshot[] = [];

async function takeSnapshot(): Promise<void> {
  const answers = [];
  for (const [nth, one] of reads(16).entries()) {
    const { status, text } = await read(one, nth);
    answers.push({ read: one, status, body: status === 200 ? comparable(text) : text });
  }
  snapshots.push({ moment: api.deps.now(), answers });
}

async function expectSnapshots(): Promise<void> {
  for (const [at, { moment, answers }] of snapshots.entries()) {
    const millis = Date.parse(moment);
    const echo = await admin('GET', `/internal/projects/current?as_of=${millis}`);
    const eventId = String(echo.headers['x-as-of-event-id']);
    for (const [nth, { read: one, status, body }] of answers.entries()) {
      const answer = await read(one, nth, at % 2 === 0 ? String(millis) : eventId);
      const now = answer.status === 200 ? comparable(answer.text) : answer.text;
      if ([...erased.ids].some((id) => `${one.path} ${body} ${now}`.includes(id))) {
        expect({ at, ...one, status: answer.status }).toEqual({ at, ...one, status });
        for (const name of erased.names) expect(now).not.toContain(`"${name}"`);
      } else {
        expect({ at, ...one, status: answer.status, body: now }).toEqual({ at, ...one, status, body });
      }
      expect(answer.headers['x-as-of-event-id']).toBe(eventId);
    }
  }
}

test('as_of gives the bodies of then, also after a rebuild and an upcast (#20 check 15)', async () => {
  await changeConfig(send, project, {
    allow_user_api_keys: true,
    allow_team_api_keys: true,
    email_config: {
      type: 'standard',
      host: 'smtp.example.com',
      port: 587,
      username: 'u',
      password: 'p',
      sender_name: 'App',
      sender_email: 'app@example.com',
    },
  });
  await changeSettings(send, project, {
    user_deletion_grace_days: 30,
    team_deletion_grace_days: 30,
    project_deletion_grace_days: 30,
  });
  for (const make of [0, 0, 0, 9, 9, 14, 14]) expect((await changes[make]?.())?.status).toBeLessThan(300);
  const done = new Set<number>();
  for (let turn = 0; turn < sized({ inTest: 20, inCampaign: 200 }); turn += 1) {
    for (let nth = 0; nth < 3; nth += 1) {
      const change = random(changes.length);
      const { status } = (await changes[change]?.()) ?? { status: 0 };
      expect(status).toBeLessThan(500);
      if (status < 300) done.add(change);
    }
    await takeSnapshot();
    await pause(2);
  }
  expect(done.size).toBeGreaterThan((changes.length * sized({ inTest: 5, inCampaign: 7 })) / 10);
  await expectSnapshots();
  if (api.memory) {
    // The rebuild reads events of a first release.
    const older = makeOlder(api.memory);
    for (const type of ['UserCreated', 'ProjectCreated', 'SessionStarted']) expect(older).toContain(type);
    api.deps.store.forget();
  }
  await rebuildPast();
  await expectSnapshots();
}, 1_800_000);

async function rebuildPast(): Promise<void> {
  const { schema } = await api.deps.rebuilds.ask(pastGroup.name);
  await expect
    .poll(
      async () =>
        (await listProjectionVersions(api.pool, pastGroup.name)).find((one) => one.schema === schema)?.isReady,
      {
        timeout: 30_000,
      },
    )
    .toBe(true);
  await api.deps.rebuilds.promoteStandby(schema);
  await expect.poll(() => api.deps.readModels.schema(pastGroup.name), { timeout: 30_000 }).toBe(schema);
}

const topLevelOf = (field: string) => field.split(/[.[]/, 1)[0] ?? field;

/** The fields of two bodies that differ; all of one if the other is missing. */
function differencesOf(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  const fields = Object.keys({ ...one, ...other }).filter((field) => !omitted.includes(field));
  return fields.filter((field) => JSON.stringify(one[field] ?? null) !== JSON.stringify(other[field] ?? null)).sort();
}

test('a comparison of any two moments has the fields in which the bodies of then differ (#20 check 15)', async () => {
  const objects = [
    ...users.map((id) => ({ type: 'user', id, path: `/users/${id}` })),
    ...teams.map((id) => ({ type: 'team', id, path: `/teams/${id}` })),
  ];
  const seen = new Set<string>();
  for (let nth = 0; nth < sized({ inTest: 20, inCampaign: 150 }); nth += 1) {
    const { type, id, path } = oneOf(objects);
    const [from = 0, to = 0] = [oneOf(snapshots), oneOf(snapshots)]
      .map(({ moment }) => Date.parse(moment))
      .sort((one, other) => one - other);
    const [before, after] = [await admin('GET', `${path}?as_of=${from}`), await admin('GET', `${path}?as_of=${to}`)];
    const query = new URLSearchParams({ target_type: type, target_id: id, from: String(from), to: String(to) });
    const diff = await admin('GET', `/internal/state-diffs?${query}`);
    const [existed, exists] = [before.status === 200, after.status === 200];
    expect({ path, from, to, ...diff.body }).toMatchObject({ existed_before: existed, exists_after: exists });
    const fields = (diff.body.changes as { field: string }[]).map(({ field }) => topLevelOf(field));
    const expected = differencesOf(existed ? before.body : {}, exists ? after.body : {});
    expect({ path, from, to, fields: [...new Set(fields)].sort() }).toEqual({ path, from, to, fields: expected });
    seen.add(`${existed} ${exists}`);
  }
  expect(seen.size).toBeGreaterThan(sized({ inTest: 1, inCampaign: 2 }));
}, 900_000);

/** Without times of writes, and without the order of lists: what comes back is at the end. */
function steady({ status, text }: Pick<Answer, 'status' | 'text'>): unknown {
  if (status !== 200) return text;
  return JSON.parse(text, (key, value) => {
    if (omitted.includes(key) || /^(joined|created|deleted|manually_revoked)_at(_millis)?$/.test(key)) return undefined;
    if (key !== 'items') return value;
    return value.toSorted((one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  });
}
const isOfEnded = ({ path }: Read) => /^\/(auth\/sessions|user-api-keys|team-api-keys)/.test(path);

test('an undo of any action of a random history restores what was read before (#20 check 24)', async () => {
  // The last one is two actions: the deletion and the restoration of the project.
  const ofObjects = changes.slice(0, -1);
  let undone = 0;
  for (let nth = 0; nth < sized({ inTest: 8, inCampaign: 40 }); nth += 1) {
    const list = reads(60).filter((one) => !isOfEnded(one) && !one.path.includes('limit='));
    const readAll = () => Promise.all(list.map((one, at) => read(one, at)));
    const before = await readAll();
    const done = await oneOf(ofObjects)();
    if (done.status >= 300) continue;
    const answer = await admin('POST', `/internal/actions/${done.headers['x-stack-request-id']}/undo`);
    expect([200, 404, 409]).toContain(answer.status);
    if (answer.status !== 200) continue;
    undone += 1;
    for (const [at, now] of (await readAll()).entries()) {
      const then = before[at] ?? now;
      const about = { ...list[at], undo: answer.body };
      expect({ ...about, status: now.status, body: steady(now) }).toEqual({
        ...about,
        status: then.status,
        body: steady(then),
      });
    }
  }
  expect(undone).toBeGreaterThan(sized({ inTest: 0, inCampaign: 5 }));
}, 900_000);
