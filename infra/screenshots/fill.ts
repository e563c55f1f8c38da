import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryTokenStore, isKnownError, realNetwork } from '@gatebook/js/core';
import { type AdminClient, createOwnerClient, type OwnerClient } from '@gatebook/js/owner-client';
import { internalKeys, type Product } from '../testing/product.ts';

export const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };

const firstNames = [
  ...['Ann', 'Bo', 'Chidi', 'Dora', 'Emil', 'Fatima', 'Goro', 'Hana', 'Ines', 'Jonas', 'Kavya', 'Liam', 'Mei', 'Noor'],
  ...['Oskar', 'Priya', 'Quentin', 'Rosa', 'Samir', 'Tove', 'Uma', 'Viktor', 'Wanda', 'Xavi', 'Yara', 'Zoe', 'Aino'],
];
const lastNames = [
  ...['Achebe', 'Lindgren', 'Okafor', 'Weiss', 'Novak', 'Rahman', 'Tanaka', 'Kim', 'Duarte', 'Berg', 'Iyer', 'Byrne'],
  ...['Chen', 'Haddad', 'Dahl', 'Nair', 'Moreau', 'Vidal', 'Aziz', 'Lund', 'Prasad', 'Sokolov', 'Mazur'],
];
const DAY_MS = 86_400_000;

export type Filled = {
  owner: OwnerClient;
  projectId: string;
  emptyProjectId: string;
  userId: string;
  teamId: string;
  endpointId: string;
};
export type MoveClock = (behindMs: number) => Promise<void>;
type App = { url: string; projectId: string; key: string };

/** Creates the first owner, projects, keys and some days of sign-ups and sign-ins, all over the API. */
export async function fill({ url, setupToken }: Product, moveClock: MoveClock, days = 34): Promise<Filled> {
  let behindMs = days * DAY_MS;
  await moveClock(behindMs);
  const client = createOwnerClient({
    baseUrl: url,
    projectId: 'internal',
    publishableClientKey: internalKeys.client,
    tokenStore: createMemoryTokenStore(),
    network: { ...realNetwork, now: () => Date.now() - behindMs },
  });
  await client.setup.complete({ token: setupToken ?? '', ...owner });
  const shop = await client.projects.create({
    displayName: 'Acme Shop',
    description: 'The web shop and its mobile app.',
  });
  const admin = client.admin(shop.id);
  const expiresAt = new Date(Date.now() + 365 * DAY_MS);
  const website = await admin.keys.create({ description: 'Website', expiresAt, kinds: ['publishableClientKey'] });
  const old = await admin.keys.create({ description: 'Old backend', expiresAt, kinds: ['secretServerKey'] });
  const app = { url, projectId: shop.id, key: website.texts.publishableClientKey ?? '' };
  const random = seeded(7);
  const emails: string[] = [];
  let userId = '';
  for (let day = days - 1; day >= 0; day -= 1) {
    behindMs = day * DAY_MS + (day === 0 ? 180_000 : 0);
    await moveClock(behindMs);
    const isWeekend = [0, 6].includes(new Date(Date.now() - behindMs).getUTCDay());
    const arrivals = Math.round((isWeekend ? 2 : 4) + (days - day) / 7 + random() * 3);
    for (let number = 0; number < arrivals; number += 1) {
      const { displayName, email } = person(emails.length);
      userId = await call(app, '/auth/password/sign-up', { email, verification_callback_url: `${url}/handler/verify` });
      const changes = { displayName, primaryEmailVerified: random() < 0.7 };
      await untilReadable(() => admin.users.update(userId, changes));
      emails.push(email);
    }
    const back = emails.filter(() => random() < 0.12);
    await Promise.all(back.map((email) => call(app, '/auth/password/sign-in', { email })));
    if (day === 20) {
      await client.projects.create({ displayName: 'Acme Intranet', description: 'For employees.' });
      await admin.keys.create({
        description: 'Backend',
        expiresAt,
        kinds: ['publishableClientKey', 'secretServerKey'],
      });
      await admin.keys.revoke(old.id);
    }
  }
  await moveClock(0);
  behindMs = 0;
  const empty = await client.projects.create({ displayName: 'Playground', description: '' });
  const { items } = await admin.users.list({ query: emails[11] ?? '', limit: 1 });
  const [known] = items;
  if (known) {
    await admin.users.update(known.id, { clientMetadata: { newsletter: true, size: 'M' } });
    await call(app, '/auth/password/sign-in', { email: known.primaryEmail ?? '' });
  }
  const teamId = await fillTeams(admin, known?.id ?? userId);
  const signIns = { eventTypes: ['user.signed_in'], unit: 'day' } as const;
  await admin.customMetrics.create({ ...signIns, displayName: 'Sign-ins by method', groupBy: 'method' });
  await admin.customMetrics.create({
    ...signIns,
    displayName: 'People who sign in',
    unit: 'week',
    count: 'distinct_users',
  });
  const { id: endpointId } = await admin.webhooks.create({
    url: 'http://localhost:3000/webhooks',
    description: 'Billing',
    types: ['user.*', 'team.created'],
  });
  await admin.teams.create({ displayName: 'Support' });
  const ids = { projectId: shop.id, emptyProjectId: empty.id, userId: known?.id ?? userId, teamId, endpointId };
  return { owner: client, ...ids };
}

/** Creates a few teams, one of them with members, an invitation, keys and custom permissions. */
async function fillTeams(admin: AdminClient, memberId: string): Promise<string> {
  const { teams, permissions, apiKeys, contactChannels, users } = admin;
  await admin.project.update({ config: { allowUserApiKeys: true, allowTeamApiKeys: true } });
  await permissions.create('team', {
    id: 'manage_orders',
    description: 'View and edit the team’s orders',
    containedPermissionIds: [],
  });
  await permissions.create('team', {
    id: 'shop_keeper',
    description: 'Run a shop',
    containedPermissionIds: ['manage_orders', 'team_member'],
  });
  await permissions.create('project', {
    id: 'early_access',
    description: 'Use unreleased features',
    containedPermissionIds: [],
  });
  for (const displayName of ['Warehouse', 'Press']) await teams.create({ displayName });
  const { id } = await teams.create({ displayName: 'Malmö shop' });
  const { items } = await users.list({ limit: 4 });
  for (const userId of [memberId, ...items.map((user) => user.id).filter((other) => other !== memberId)]) {
    await teams.addMember(id, userId);
  }
  await permissions.grant({ teamId: id, userId: memberId }, 'shop_keeper');
  await permissions.grant({ teamId: null, userId: memberId }, 'early_access');
  const callbackUrl = 'http://localhost:3000/handler/team-invitation';
  await teams.invite(id, { email: 'new.colleague@mail.example', callbackUrl });
  await apiKeys.create({ type: 'team', id }, { description: 'Till', expiresAt: null });
  await apiKeys.create({ type: 'user', id: memberId }, { description: 'Laptop', expiresAt: null });
  await contactChannels.create(memberId, { value: 'second@mail.example', usedForAuth: false });
  return id;
}

/** A sign-up under load is answered before the read models have it. */
async function untilReadable(act: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 30_000; ; ) {
    try {
      await act();
      return;
    } catch (error) {
      if (!isKnownError(error, 'USER_NOT_FOUND') || performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/** Each combination once, because the lengths of the two lists are coprime. */
function person(number: number): { displayName: string; email: string } {
  const first = firstNames[number % firstNames.length] ?? '';
  const last = lastNames[number % lastNames.length] ?? '';
  return { displayName: `${first} ${last}`, email: `${first}.${last}@mail.example`.toLowerCase() };
}

/** Reproducible random numbers from 0 to below 1 (mulberry32), so that screenshots can be compared. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const agents = [
  ...['Mozilla/5.0 (X11; Linux x86_64) Chrome/140', 'Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/140'],
  ...['Mozilla/5.0 (iPhone) Safari/605', 'Mozilla/5.0 (Windows NT 10.0; Win64) Firefox/144'],
  ...['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Safari/605', 'Mozilla/5.0 (Linux; Android 15) Chrome/140'],
];
const countries = ['SE', 'SE', 'DE', 'SE', 'NO', 'DE', 'US', 'FI', 'IN', 'SE', 'DK'];

/** Everybody has one browser and one country, as the proxy names it. */
function placeOf(email: string): Record<string, string> {
  const number = [...email].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const agent = agents[number % agents.length] ?? '';
  return { 'user-agent': agent, 'cf-ipcountry': countries[number % countries.length] ?? '' };
}

async function call(
  { url, projectId, key }: App,
  path: string,
  body: Readonly<Record<string, string>>,
): Promise<string> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...placeOf(body.email ?? ''),
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectId,
      'x-stack-publishable-client-key': key,
    },
    body: JSON.stringify({ ...body, password: 'correct horse' }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const { user_id } = (await answer.json()) as { user_id: string };
  return user_id;
}
