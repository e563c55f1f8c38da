import { describe, expect, test } from 'vitest';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl } from '../testing/people.ts';
import { withTeam } from '../testing/teams.ts';
import { contextOf, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { deleteTeam } from './delete-team.ts';
import { removeTeamMember } from './team.ts';
import {
  acceptInvitation,
  acceptReceivedInvitation,
  inviteToTeam,
  readInvitation,
  revokeInvitation,
} from './team-invitation.ts';

async function withInvitation() {
  const team = await withTeam();
  const { deps, ctx, teamId, project } = team;
  const email = 'friend@example.com';
  const sent = await inviteToTeam(deps, ctx, { teamId, email, callbackUrl, by: null, project });
  const { code } = await lastMail(team);
  const accept = (userId: string) => acceptInvitation(deps, ctx, { code, userId, project });
  const codeId = (await team.eventsOf('CodeIssued'))[0]?.data.codeId ?? '';
  return { ...team, ...sent, code, codeId, accept };
}

test('an invitation is emailed and lets one user join once', async () => {
  const { deps, ctx, teamId, code, invitationId, newUser, accept, eventsOf } = await withInvitation();
  const [mail] = await eventsOf('EmailRequested');
  expect(mail?.data).toMatchObject({ emailType: 'team_invitation', recipient: 'friend@example.com', userId: null });
  expect(mail?.data.variables).toMatchObject({
    projectDisplayName: 'Shop',
    teamDisplayName: 'Crew',
    teamInvitationLink: `${callbackUrl}?code=${code}`,
  });
  expect((await eventsOf('CodeIssued'))[0]?.data).toMatchObject({ subjectId: invitationId, payload: { teamId } });
  expect((await readInvitation(deps, ctx, { code })).team.displayName).toBe('Crew');
  const userId = await newUser();
  await accept(userId);
  expect((await eventsOf('TeamMemberAdded'))[1]?.data).toMatchObject({
    userId,
    how: 'invited',
    permissionKeys: ['team_member'],
  });
  await expectRejection(accept(await newUser()), 'VERIFICATION_CODE_ALREADY_USED');
});

test('accepting an invitation leaves existing members unchanged and uses the code', async () => {
  const { creatorId, accept, eventsOf } = await withInvitation();
  await accept(creatorId);
  expect(await eventsOf('TeamMemberAdded')).toHaveLength(1);
  expect(await eventsOf('CodeUsed')).toHaveLength(1);
});

describe('an invitation is rejected', () => {
  test('once its team is deleted', async () => {
    const { deps, ctx, teamId, code, newUser, accept } = await withInvitation();
    const userId = await newUser();
    await deleteTeam(deps, ctx, { teamId, by: null });
    await expectRejection(accept(userId), 'VERIFICATION_CODE_NOT_FOUND');
    await expectRejection(readInvitation(deps, ctx, { code }), 'VERIFICATION_CODE_NOT_FOUND');
  });
  test('in another project', async () => {
    const { deps, code } = await withInvitation();
    await expectRejection(readInvitation(deps, contextOf('elsewhere'), { code }), 'VERIFICATION_CODE_NOT_FOUND');
  });
  test('for a deleted user, and stays valid for others', async () => {
    const { deps, ctx, newUser, accept } = await withInvitation();
    const gone = await newUser();
    await deleteUser(deps, ctx, { userId: gone });
    await expectRejection(accept(gone), 'USER_NOT_FOUND');
    await accept(await newUser());
  });
  test('once it is revoked, which works once', async () => {
    const { deps, ctx, teamId, codeId, newUser, accept } = await withInvitation();
    await revokeInvitation(deps, ctx, { teamId, codeId, by: null });
    await expectRejection(accept(await newUser()), 'VERIFICATION_CODE_NOT_FOUND');
    await expectRejection(revokeInvitation(deps, ctx, { teamId, codeId, by: null }), 'INVITATION_NOT_FOUND');
  });
});

test('inviting and revoking require a permission or a server', async () => {
  const { deps, ctx, teamId, codeId, project, newUser, creatorId, accept } = await withInvitation();
  const member = await newUser();
  const invite = (by: string | null, url = callbackUrl) =>
    inviteToTeam(deps, ctx, { teamId, email: 'x@example.com', callbackUrl: url, by, project });
  const revoke = (by: string | null, id: string | null = codeId) =>
    revokeInvitation(deps, ctx, { teamId, codeId: id, by });
  const place = { team_id: teamId, user_id: member };
  await expectRejection(invite(member), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  await expectRejection(revoke(member, null), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  await accept(member);
  await invite(member);
  await expectRejection(revoke(member), 'TEAM_PERMISSION_REQUIRED', { ...place, permission_id: '$remove_members' });
  await expectRejection(revoke(creatorId, null), 'INVITATION_NOT_FOUND');
  await expectRejection(invite(creatorId, 'https://evil.example/x'), 'REDIRECT_URL_NOT_WHITELISTED');
  const elsewhere = inviteToTeam(deps, ctx, {
    teamId: deps.newId(),
    email: 'x@example.com',
    callbackUrl: 'https://evil.example/x',
    by: null,
    project,
  });
  await expect(elsewhere).rejects.toMatchObject({ code: 'TEAM_NOT_FOUND' });
  await removeTeamMember(deps, ctx, { teamId, userId: member, by: null });
  await expectRejection(invite(member), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
});

test('of two users with the same verified address, one accepts a received invitation', async () => {
  const { deps, ctx, project, codeId, eventsOf } = await withInvitation();
  const email = 'Friend@example.com';
  const verified = { project, primaryEmail: email, primaryEmailVerified: true };
  const [first, second] = [await createUser(deps, ctx, verified), await createUser(deps, ctx, verified)];
  const accept = (userId: string) => acceptReceivedInvitation(deps, ctx, { codeId, userId, project });
  const outcomes = await Promise.allSettled([accept(first.userId), accept(second.userId)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await eventsOf('CodeUsed')).toHaveLength(1);
  expect(await eventsOf('TeamMemberAdded')).toHaveLength(2);
});
