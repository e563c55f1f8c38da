import type { Sender } from '@gatebook/domain/email/events';
import { describe, expect, test } from 'vitest';
import { presentCode } from '../code/code.ts';
import { recordEmailSent, recordTestEmail } from '../email/email.ts';
import { sendSignInCode, signInWithCode } from '../sign-in/sign-in-code.ts';
import { inviteToTeam } from '../team/team-invitation.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl } from '../testing/people.ts';
import { withTeam } from '../testing/teams.ts';
import { contextOf, expectRejection } from '../testing/world.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';

const sender: Sender = {
  type: 'shared',
  host: 'smtp.example.com',
  port: 25,
  username: null,
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};
const address = 'ann@example.com';

/** An invitation whose mail waits, one whose mail is out, and a test mail, all to the address. */
async function withMailTo(email: string) {
  const team = await withTeam();
  const { deps, ctx, teamId, project, eventsOf } = team;
  const invite = () => inviteToTeam(deps, ctx, { teamId, email, callbackUrl, by: null, project });
  await invite();
  const first = await lastMail(team);
  const shown = { subject: `To ${email}`, sender, response: `250 for ${email}` };
  await recordEmailSent(deps, ctx, { emailId: first.emailId, ...shown });
  await recordTestEmail(deps, ctx, { to: email, ...shown, error: null });
  await invite();
  const waiting = await lastMail(team);
  const addUser = async (isVerified: boolean, primaryEmail = address) => {
    const flags = { primaryEmailVerified: isVerified, primaryEmailAuthEnabled: true };
    return (await createUser(deps, ctx, { project, primaryEmail, ...flags })).userId;
  };
  const told = async () => {
    const events = [
      ...(await eventsOf('CodeIssued')),
      ...(await eventsOf('EmailRequested')),
      ...(await eventsOf('EmailSent')),
    ];
    return events.filter(({ data }) => JSON.stringify(data).includes(email)).length;
  };
  return { ...team, first, waiting, addUser, told, invite };
}

describe('deleting a user erases the invitations and emails to their addresses', () => {
  test.each([
    { what: 'when a server deletes the user', isVerified: false, by: 'server' },
    { what: 'when users with a verified address delete themselves', isVerified: true, by: 'user' },
  ] as const)('$what', async ({ isVerified, by }) => {
    // Compared as addresses are, not as they are typed.
    const { deps, ctx, addUser, told, waiting } = await withMailTo('Ann@Example.com');
    const userId = await addUser(isVerified);
    expect(await told()).toBe(5);
    await deleteUser(deps, { ...ctx, actor: { kind: by, id: userId } }, { userId });
    expect(await told()).toBe(0);
    const presented = presentCode(deps, ctx, { code: waiting.code, purpose: 'team_invitation' });
    await expectRejection(presented, 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('except those to an unverified address of a user who deletes themselves', async () => {
    const { deps, ctx, addUser, told, waiting } = await withMailTo(address);
    const userId = await addUser(false);
    await deleteUser(deps, { ...ctx, actor: { kind: 'user', id: userId } }, { userId });
    expect(await told()).toBe(5);
    await presentCode(deps, ctx, { code: waiting.code, purpose: 'team_invitation' });
  });

  test('except those to other addresses or of another project', async () => {
    const { deps, ctx, addUser, told, project } = await withMailTo(address);
    const userId = await addUser(true, 'bob@example.com');
    await deleteUser(deps, ctx, { userId });
    const elsewhere = contextOf('elsewhere');
    const flags = { primaryEmailVerified: true, primaryEmailAuthEnabled: true };
    const other = await createUser(deps, elsewhere, { project, primaryEmail: address, ...flags });
    await deleteUser(deps, elsewhere, { userId: other.userId });
    expect(await told()).toBe(5);
  });

  test('and keeps emails sent to the address later', async () => {
    const { deps, ctx, addUser, told, invite } = await withMailTo(address);
    await deleteUser(deps, ctx, { userId: await addUser(true) });
    await invite();
    expect(await told()).toBe(2);
  });
});

test('an email sent while its recipient is erased is recorded without the recipient', async () => {
  const { deps, ctx, addUser, told, waiting } = await withMailTo(address);
  await deleteUser(deps, ctx, { userId: await addUser(true) });
  const shown = { subject: `To ${address}`, sender, response: `250 for ${address}` };
  await recordEmailSent(deps, ctx, { emailId: waiting.emailId, ...shown });
  expect(await told()).toBe(0);
});

test('the code that created a user is erased with the user and its email', async () => {
  const world = await withTeam();
  const { deps, ctx, project, eventsOf } = world;
  await sendSignInCode(deps, ctx, { email: address, callbackUrl, project });
  const { code, emailId } = await lastMail(world);
  await recordEmailSent(deps, ctx, { emailId, subject: 'Code', sender, response: `250 for ${address}` });
  const { userId } = await signInWithCode(deps, ctx, { code, project, anonymousUserId: null });
  const told = async () => [
    (await eventsOf('CodeIssued'))[0]?.data.recipient,
    (await eventsOf('EmailSent'))[0]?.data.to,
    (await eventsOf('EmailSent'))[0]?.data.response,
  ];
  expect(await told()).toEqual([address, address, `250 for ${address}`]);
  await deleteUser(deps, { ...ctx, actor: { kind: 'user', id: userId } }, { userId });
  expect(await told()).toEqual([null, null, null]);
});
