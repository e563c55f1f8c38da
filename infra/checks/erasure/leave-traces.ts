import { expect } from 'vitest';
import type { Send } from '../../testing/api-client.ts';
import { createOwnedProject, type OwnedProject } from '../../testing/owned-project.ts';
import { canary, hasCanary } from './canary.ts';
import { expectOk } from './expect-ok.ts';

const password = 'correct horse battery';
const callback_url = 'http://localhost:3000/handler/callback';
const [email, secondEmail] = [`${canary}@example.com`, `${canary}-second@example.com`];
/** The address of somebody else, whom the user invites. */
const friend = 'friend@example.com';
const userAgent = { 'user-agent': `Browser of ${canary}` };
/** Responses to requests with a key are stored. */
const keyOf = (name: string) => ({ 'idempotency-key': `${canary}-${name.replaceAll(' ', '-')}` });

/** How the user or the app's server calls the API. `as`: the access token of the user. */
type Calls = { send: Send; server: OwnedProject & { access: 'server' }; client: OwnedProject; as: string };

/** Creates a user with personal data in every place that can have it. */
export async function leaveTraces(
  send: Send,
  { mails, hookUrl }: { mails: { to: string[]; raw: string }[]; hookUrl: string },
): Promise<OwnedProject & { id: string }> {
  const project = await createOwnedProject(send, {
    magic_link_enabled: true,
    create_team_on_sign_up: true,
    client_user_deletion_enabled: true,
    allow_user_api_keys: true,
    client_team_creation_enabled: true,
    oauth_providers: [{ id: 'github', type: 'standard', client_id: 'id', client_secret: 'secret' }],
  });
  expectOk(await send('POST', '/webhooks/endpoints', { ...project, access: 'admin', body: { url: hookUrl } }));
  const server = { ...project, access: 'server' } as const;
  const team = expectOk(await send('POST', '/teams', { ...server, body: { display_name: 'Crew' } })).body;
  await emailUnknownAddresses(send, project, team.id);
  const id = await createUser(send, project);
  const as = await signIn(send, project);
  const calls = { send, server, client: project, as };
  await changeProfile(calls);
  await addAddresses(calls, id);
  await useTeams(calls, id, team.id);
  const session = { ...server, body: { user_id: id }, headers: keyOf('session') };
  expectOk(await send('POST', '/auth/sessions', session));
  expect(expectOk(await send('GET', '/users/me/export', { ...project, as, headers: userAgent })).text).toContain(
    canary,
  );
  await send('POST', '/auth/password/sign-up', {
    ...project,
    body: { email, password, verification_callback_url: callback_url },
    headers: { ...userAgent, ...keyOf('sign up') },
  });
  await expect.poll(() => mails.filter(({ to }) => to.some(hasCanary)).length).toBeGreaterThan(5);
  await expect.poll(() => mails.some(({ to }) => to.includes(friend))).toBe(true);
  return { id, ...project };
}

/** Invitations, rejected emails and a test email of an owner, before the user exists. */
async function emailUnknownAddresses(send: Send, project: OwnedProject, team_id: string): Promise<void> {
  for (const to of [email, secondEmail, `rejected-${email}`, `later-${email}`]) {
    const body = { team_id, email: to, callback_url };
    const headers = keyOf(`invite ${to}`);
    expectOk(await send('POST', '/team-invitations/send-code', { ...project, access: 'server', body, headers }));
  }
  await send('POST', '/internal/send-test-email', {
    ...project,
    access: 'admin',
    body: {
      recipient_email: email,
      email_config: {
        host: '127.0.0.1',
        port: 9,
        username: '',
        password: '',
        sender_name: 'Shop',
        sender_email: 'shop@example.com',
      },
    },
  });
  expectOk(
    await send('POST', '/auth/otp/send-sign-in-code', { ...project, body: { email: `code-${email}`, callback_url } }),
  );
}

async function createUser(send: Send, project: OwnedProject): Promise<string> {
  const server = { ...project, access: 'server' } as const;
  const body = {
    display_name: `Name ${canary}`,
    primary_email: email,
    primary_email_auth_enabled: true,
    password,
    client_metadata: { of: canary },
    client_read_only_metadata: [canary],
    server_metadata: canary,
    profile_image_url: `https://example.com/${canary}.png`,
    oauth_providers: [{ id: 'github', account_id: `account-${canary}`, email }],
  };
  const create = () => send('POST', '/users', { ...server, body, headers: keyOf('create') });
  const { id } = expectOk(await create()).body as { id: string };
  expect((await create()).headers.get('idempotency-replayed')).toBe('true');
  // An error response that contains the address is stored too.
  const taken = { primary_email: email, primary_email_auth_enabled: true };
  expect((await send('POST', '/users', { ...server, body: taken, headers: keyOf('taken') })).status).toBe(409);
  return id;
}

/** Fails twice after the sign-in. @returns the access token */
async function signIn(send: Send, project: OwnedProject): Promise<string> {
  const headers = { ...userAgent, ...keyOf('sign in') };
  const signedIn = expectOk(
    await send('POST', '/auth/password/sign-in', { ...project, body: { email, password }, headers }),
  );
  for (const wrong of ['wrong 1', 'wrong 2']) {
    const body = { email, password: wrong };
    await send('POST', '/auth/password/sign-in', { ...project, body, headers: userAgent });
  }
  return signedIn.body.access_token;
}

async function changeProfile({ send, client, as }: Calls): Promise<void> {
  const change = { display_name: `New name ${canary}`, client_metadata: { now: canary } };
  expectOk(
    await send('PATCH', '/users/me', { ...client, as, body: change, headers: { ...userAgent, ...keyOf('change') } }),
  );
  const key = { user_id: 'me', description: `Key of ${canary}`, expires_at_millis: null };
  expectOk(await send('POST', '/user-api-keys', { ...client, as, headers: userAgent, body: key }));
}

async function addAddresses({ send, server, client, as }: Calls, userId: string): Promise<void> {
  const user = { ...client, as, headers: userAgent };
  const channel = { type: 'email', used_for_auth: false };
  expectOk(
    await send('POST', '/contact-channels', { ...user, body: { ...channel, user_id: 'me', value: secondEmail } }),
  );
  for (const value of [`rejected-${email}`, `later-${email}`, `code-${email}`]) {
    const body = { ...channel, user_id: userId, value, is_verified: true };
    expectOk(await send('POST', '/contact-channels', { ...server, body }));
  }
  const channels = expectOk(await send('GET', '/contact-channels?user_id=me', user)).body.items as { id: string }[];
  for (const { id } of channels) {
    await send('POST', `/contact-channels/me/${id}/send-verification-code`, { ...user, body: { callback_url } });
  }
  expectOk(await send('POST', '/auth/password/send-reset-code', { ...client, body: { email, callback_url } }));
}

/** Invites a friend to the user's own team, and joins another one. */
async function useTeams({ send, server, client, as }: Calls, userId: string, teamId: string): Promise<void> {
  const user = { ...client, as, headers: userAgent };
  const teams = expectOk(await send('GET', '/teams?user_id=me', user)).body.items as {
    id: string;
    display_name: string;
  }[];
  expect(teams[0]?.display_name).toContain(canary);
  const invitation = { team_id: teams[0]?.id, email: friend, callback_url };
  expectOk(await send('POST', '/team-invitations/send-code', { ...client, as, body: invitation }));
  expectOk(await send('POST', `/team-memberships/${teamId}/${userId}`, { ...server, body: {} }));
  expectOk(
    await send('PATCH', `/team-member-profiles/${teamId}/me`, { ...user, body: { display_name: `Nick ${canary}` } }),
  );
}
