import { describe, expect, test } from 'vitest';
import { countMailsTo, mailTo } from '../../testing/mailbox.ts';
import { addMember, asMember } from '../../testing/members.ts';
import {
  changeConfig,
  createProject,
  expectKnown,
  expectPlain,
  newEmail,
  type OwnedProject,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const suite = await startSuite();
const { api, send } = suite;
const path = '/internal/projects/current/invitations';
const received = '/internal/project-invitations';

const invite = (shop: OwnedProject, email: string, role: string, by = shop.owner) =>
  send('POST', path, asMember(shop, by, { body: { email, role } }));
const listOpen = async (shop: OwnedProject) => (await send('GET', path, asMember(shop, shop.owner))).body.items;
const linkTo = async ({ projectId }: OwnedProject, email: string) => ({
  project_id: projectId,
  code: (await mailTo(api, email)).code,
});
const accept = (user: SignedIn, link: object) =>
  send('POST', `${received}/accept`, { as: user.accessToken, body: link });
const roleOf = async (shop: OwnedProject, { userId }: { userId: string }) => {
  const { body } = await send('GET', '/internal/projects/current/members', { ...shop, access: 'admin' });
  return body.items.find((item: { user_id: string }) => item.user_id === userId)?.role ?? null;
};

test('an invited person sees the invitation, and joins once with its role', async () => {
  const shop = await createProject(send, { display_name: 'Shop' });
  const email = newEmail();
  const { body } = await invite(shop, email, 'support');
  expect(await listOpen(shop)).toMatchObject([{ id: body.id, recipient_email: email, role: 'support' }]);
  const mail = await mailTo(api, email);
  expect(mail.variables).toMatchObject({ projectDisplayName: 'Shop', roleName: 'support' });
  expect(new URL(mail.link).pathname).toBe('/project-invitation');
  const link = await linkTo(shop, email);
  const details = await send('POST', `${received}/details`, { body: link });
  expect(details.body).toEqual({
    project_display_name: 'Shop',
    role: 'support',
    sender_role: null,
    recipient_email: email,
  });
  const bob = await signUp(send);
  expect((await accept(bob, link)).status).toBe(200);
  expect(await roleOf(shop, bob)).toBe('support');
  expect(await listOpen(shop)).toEqual([]);
  expectKnown(await accept(await signUp(send), link), 409, 'VERIFICATION_CODE_ALREADY_USED');
  expectKnown(await send('POST', `${received}/accept`, { body: link }), 401, 'USER_AUTHENTICATION_REQUIRED');
});

test('a person without an account signs up with the link while sign-up is closed', async () => {
  const shop = await createProject(send);
  const email = newEmail();
  await invite(shop, email, 'owner');
  const link = await linkTo(shop, email);
  const internal = { projectId: 'internal', keys: api.keys, owner: shop.owner };
  await changeConfig(send, internal, { sign_up_enabled: false });
  const answer = await send('POST', `${received}/sign-up`, { body: { ...link, password, display_name: 'Cy' } });
  await changeConfig(send, internal, { sign_up_enabled: true });
  expect(answer.status).toBe(200);
  const me = await send('GET', '/users/me', { as: answer.body.access_token });
  expect(me.body).toMatchObject({ display_name: 'Cy', primary_email: email, primary_email_verified: true });
  expect(await roleOf(shop, { userId: me.body.id })).toBe('owner');
  const again = await invite(shop, email, 'owner');
  expect(again.status).toBe(200);
  const taken = await send('POST', `${received}/sign-up`, { body: { ...(await linkTo(shop, email)), password } });
  expectKnown(taken, 409, 'USER_EMAIL_ALREADY_EXISTS', expect.any(Object));
});

test('a link stops working when its sender no longer owns the project', async () => {
  const shop = await createProject(send);
  const [second, bob] = [await addMember(suite, shop, 'owner'), await signUp(send)];
  const email = newEmail();
  await invite(shop, email, 'owner', second);
  const link = await linkTo(shop, email);
  expect(await listOpen(shop)).toHaveLength(1);
  const at = `/internal/projects/current/members/${second.userId}`;
  await send('DELETE', at, asMember(shop, shop.owner, { body: {} }));
  expect(await listOpen(shop)).toEqual([]);
  expectKnown(await accept(bob, link), 404, 'VERIFICATION_CODE_NOT_FOUND');
  const signedUp = await send('POST', `${received}/sign-up`, { body: { ...link, password } });
  expectKnown(signedUp, 404, 'VERIFICATION_CODE_NOT_FOUND');
  expect(await roleOf(shop, bob)).toBeNull();
});

test.each(['revoked', 'expired'])('a link that a key sent stops working when the key is %s', async (how) => {
  const shop = await createProject(send);
  const [bob, email] = [await signUp(send), newEmail()];
  await send('POST', path, { ...shop, access: 'admin', body: { email, role: 'owner' } });
  const link = await linkTo(shop, email);
  expect((await send('POST', `${received}/details`, { body: link })).status).toBe(200);
  const { body: keys } = await send('GET', '/internal/api-keys', asMember(shop, shop.owner));
  const key = `/internal/api-keys/${keys.items[0].id}`;
  const times = { expires_at_millis: Date.parse('2099-01-01'), old_expires_at_millis: Date.now() };
  const end =
    how === 'revoked'
      ? send('PATCH', key, asMember(shop, shop.owner, { body: { revoked: true } }))
      : send('POST', `${key}/rotate`, asMember(shop, shop.owner, { body: times }));
  expect((await end).status).toBe(200);
  expect(await listOpen(shop)).toEqual([]);
  expectKnown(await accept(bob, link), 404, 'VERIFICATION_CODE_NOT_FOUND');
  const signedUp = await send('POST', `${received}/sign-up`, { body: { ...link, password } });
  expectKnown(signedUp, 404, 'VERIFICATION_CODE_NOT_FOUND');
});

test('an invitation of a member of the owner team is pending, and one by a key', async () => {
  const shop = await createProject(send);
  const { body: team } = await send('POST', '/teams', { as: shop.owner.accessToken, body: { display_name: 'Owners' } });
  const transfer = { project_id: shop.projectId, new_team_id: team.id };
  await send('POST', '/internal/projects/transfer', { as: shop.owner.accessToken, body: transfer });
  await invite(shop, newEmail(), 'owner');
  await send('POST', path, { ...shop, access: 'admin', body: { email: newEmail(), role: 'support' } });
  expect((await listOpen(shop)).map(({ role }: { role: string }) => role)).toEqual(['owner', 'support']);
});

test('looking at an invitation does not use up its attempts', async () => {
  const shop = await createProject(send);
  const email = newEmail();
  await invite(shop, email, 'support');
  const link = await linkTo(shop, email);
  for (let nth = 0; nth < 21; nth += 1) await send('POST', `${received}/details`, { body: link });
  expect((await accept(await signUp(send), link)).status).toBe(200);
});

test('a member keeps a higher role', async () => {
  const shop = await createProject(send);
  const developer = await addMember(suite, shop, 'developer');
  await invite(shop, developer.email, 'read_only');
  expect((await accept(developer, await linkTo(shop, developer.email))).status).toBe(200);
  expect(await roleOf(shop, developer)).toBe('developer');
  await invite(shop, developer.email, 'owner');
  await accept(developer, await linkTo(shop, developer.email));
  expect(await roleOf(shop, developer)).toBe('owner');
});

test('a link stops working when the invitation is revoked, sent again, or a week old', async () => {
  const shop = await createProject(send);
  const [email, bob] = [newEmail(), await signUp(send)];
  const { body: first } = await invite(shop, email, 'support');
  const firstLink = await linkTo(shop, email);
  const resent = await send('POST', `${path}/${first.id}/resend`, asMember(shop, shop.owner, { body: {} }));
  expect(resent.status).toBe(200);
  expect(await countMailsTo(api, email)).toBe(2);
  expect((await listOpen(shop)).map(({ id }: { id: string }) => id)).toEqual([resent.body.id]);
  expectKnown(await accept(bob, firstLink), 404, 'VERIFICATION_CODE_NOT_FOUND');
  const secondLink = await linkTo(shop, email);
  const revoke = (id: string) => send('DELETE', `${path}/${id}`, asMember(shop, shop.owner, { body: {} }));
  expect((await revoke(resent.body.id)).status).toBe(200);
  expectKnown(await accept(bob, secondLink), 404, 'VERIFICATION_CODE_NOT_FOUND');
  for (const id of [resent.body.id, unknownId]) expectPlain(await revoke(id), 404);
  expect(await roleOf(shop, bob)).toBeNull();
});

test('only owners invite, and only to their project', async () => {
  const [shop, other] = [await createProject(send), await createProject(send)];
  const developer = await addMember(suite, shop, 'developer');
  expectKnown(await invite(shop, newEmail(), 'read_only', developer), 403, 'PROJECT_ROLE_REQUIRED', {
    role: 'developer',
    required_role: 'owner',
  });
  const email = newEmail();
  const { body } = await invite(shop, email, 'owner');
  const { code } = await linkTo(shop, email);
  expectKnown(await accept(developer, { project_id: other.projectId, code }), 404, 'VERIFICATION_CODE_NOT_FOUND');
  expectPlain(await send('DELETE', `${path}/${body.id}`, asMember(other, other.owner, { body: {} })), 404);
});

test('the audit log shows the invitation with its role, without the address', async () => {
  const shop = await createProject(send);
  const email = newEmail();
  await invite(shop, email, 'read_only');
  const { text, body } = await send('GET', '/internal/audit-events?limit=10', { ...shop, access: 'admin' });
  expect(body.items.map((item: { text: string }) => item.text)).toContain(
    'Invited somebody to the project as read-only',
  );
  expect(text).not.toContain(email);
});

const transfer = (shop: OwnedProject, email: string, sender_role: string, by = shop.owner) =>
  send('POST', '/internal/projects/current/transfer', asMember(shop, by, { body: { email, sender_role } }));

describe('a project that is handed over by email', () => {
  test.each([
    ['none', null],
    ['support', 'support'],
  ])('has a new owner once it is accepted; a sender with role %s becomes %s', async (senderRole, after) => {
    const shop = await createProject(send);
    const [other, bob] = [await addMember(suite, shop, 'developer'), await signUp(send)];
    const email = newEmail();
    expect((await transfer(shop, email, senderRole)).status).toBe(200);
    expect((await mailTo(api, email)).variables).toMatchObject({ roleName: 'owner', isTransfer: 'yes' });
    const link = await linkTo(shop, email);
    expect(await roleOf(shop, shop.owner)).toBe('owner');
    expect(await listOpen(shop)).toMatchObject([{ role: 'owner', sender_role: senderRole }]);
    const details = await send('POST', `${received}/details`, { body: link });
    expect(details.body).toMatchObject({ role: 'owner', sender_role: senderRole });
    expect((await accept(bob, link)).status).toBe(200);
    expect(await roleOf(shop, bob)).toBe('owner');
    expect(await roleOf(shop, shop.owner)).toBe(after);
    expect(await roleOf(shop, other)).toBe('developer');
  });

  test('goes to a person without an account, who signs up with the link', async () => {
    const shop = await createProject(send);
    const email = newEmail();
    await transfer(shop, email, 'none');
    const body = { ...(await linkTo(shop, email)), password };
    const { body: tokens } = await send('POST', `${received}/sign-up`, { body });
    const me = await send('GET', '/users/me', { as: tokens.access_token });
    expect(await roleOf(shop, { userId: me.body.id })).toBe('owner');
    expect(await roleOf(shop, shop.owner)).toBeNull();
  });

  test('still leaves its sender when another owner sends the email again', async () => {
    const shop = await createProject(send);
    const [second, bob] = [await addMember(suite, shop, 'owner'), await signUp(send)];
    const email = newEmail();
    const { body } = await transfer(shop, email, 'read_only');
    await send('POST', `${path}/${body.id}/resend`, asMember(shop, second, { body: {} }));
    await accept(bob, await linkTo(shop, email));
    expect(await roleOf(shop, shop.owner)).toBe('read_only');
    expect(await roleOf(shop, second)).toBe('owner');
  });

  test('does not come to its sender, nor to anybody after the sender lost it', async () => {
    const shop = await createProject(send);
    const [second, bob] = [await addMember(suite, shop, 'owner'), await signUp(send)];
    const email = newEmail();
    await transfer(shop, email, 'none');
    const link = await linkTo(shop, email);
    expectKnown(await accept(shop.owner, link), 400, 'PROJECT_TRANSFER_TO_SENDER');
    const own = `/internal/projects/current/members/${shop.owner.userId}`;
    await send('PUT', own, asMember(shop, second, { body: { role: 'support' } }));
    expectKnown(await accept(bob, link), 404, 'VERIFICATION_CODE_NOT_FOUND');
    expect(await roleOf(shop, shop.owner)).toBe('support');
  });

  test('is offered by a direct owner only', async () => {
    const shop = await createProject(send);
    const developer = await addMember(suite, shop, 'developer');
    const rejected = await transfer(shop, newEmail(), 'none', developer);
    expectKnown(rejected, 403, 'PROJECT_ROLE_REQUIRED', { role: 'developer', required_role: 'owner' });
    const body = { email: newEmail(), sender_role: 'none' };
    const byKey = await send('POST', '/internal/projects/current/transfer', { ...shop, access: 'admin', body });
    expectKnown(byKey, 401, 'USER_AUTHENTICATION_REQUIRED');
    const { body: team } = await send('POST', '/teams', { access: 'server', body: { display_name: 'Crew' } });
    await send('POST', `/team-memberships/${team.id}/${shop.owner.userId}`, { access: 'server', body: {} });
    const toTeam = { project_id: shop.projectId, new_team_id: team.id };
    await send('POST', '/internal/projects/transfer', { as: shop.owner.accessToken, body: toTeam });
    expectKnown(await transfer(shop, newEmail(), 'none'), 404, 'PROJECT_MEMBER_NOT_FOUND');
  });

  test('is in the audit log, with what its sender becomes', async () => {
    const shop = await createProject(send);
    await transfer(shop, newEmail(), 'read_only');
    const { body } = await send('GET', '/internal/audit-events?limit=10', { ...shop, access: 'admin' });
    expect(body.items.map((item: { text: string }) => item.text)).toContain(
      'Offered the project to a new owner; the sender is read-only afterwards',
    );
  });
});
