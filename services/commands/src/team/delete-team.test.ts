import { describe, expect, test } from 'vitest';
import { changeApiKey, createApiKey } from '../api-key/api-key.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl } from '../testing/people.ts';
import { withTeam } from '../testing/teams.ts';
import { contextOf, expectRejection } from '../testing/world.ts';
import { updateUser } from '../user/update-user.ts';
import { deleteTeam, eraseDueTeam, eraseTeam, restoreTeam } from './delete-team.ts';
import { addTeamMember, createTeam, updateTeam } from './team.ts';
import { acceptInvitation, inviteToTeam } from './team-invitation.ts';

const dayMs = 86_400_000;

async function withDeleted() {
  const world = await withTeam();
  const { deps, ctx, teamId, creatorId, project } = world;
  const { key } = await createApiKey(deps, ctx, {
    ...{ ownerType: 'team', ownerId: teamId, by: null, description: 'ci', isPublic: false, expiresAt: null },
  });
  await inviteToTeam(deps, ctx, { teamId, email: 'friend@example.com', callbackUrl, by: null, project });
  const { code } = await lastMail(world);
  await deleteTeam(deps, ctx, { teamId, by: creatorId, graceDays: 30 });
  const use = {
    rename: () => updateTeam(deps, ctx, { teamId, by: null, displayName: 'Band' }),
    renameByMember: () => updateTeam(deps, ctx, { teamId, by: creatorId, displayName: 'Band' }),
    add: async (userId: string) => addTeamMember(deps, ctx, { teamId, userId, project }),
    select: () => updateUser(deps, ctx, { userId: creatorId, project, selectedTeamId: teamId }),
    changeKey: () => changeApiKey(deps, ctx, { keyId: key.keyId, ownerType: 'team', by: null, description: 'x' }),
    accept: (userId: string) => acceptInvitation(deps, ctx, { code, userId, project }),
  };
  return { ...world, use };
}

describe('a team that awaits deletion', () => {
  test('is rejected like a deleted one, with its members, invitations and keys', async () => {
    const { deps, ctx, teamId, newUser, creatorId, use } = await withDeleted();
    const userId = await newUser();
    const place = { team_id: teamId, user_id: creatorId };
    for (const call of [use.rename, () => use.add(userId)]) {
      await expectRejection(call(), 'TEAM_NOT_FOUND', { team_id: teamId });
    }
    for (const call of [use.renameByMember, use.select]) {
      await expectRejection(call(), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
    }
    await expectRejection(use.changeKey(), 'API_KEY_NOT_FOUND');
    await expectRejection(use.accept(userId), 'VERIFICATION_CODE_NOT_FOUND');
    for (const graceDays of [30, 0]) {
      await expectRejection(deleteTeam(deps, ctx, { teamId, by: null, graceDays }), 'TEAM_NOT_FOUND', {
        team_id: teamId,
      });
    }
  });

  test('comes back with its name, members, permissions, invitations and keys', async () => {
    const { deps, ctx, teamId, newUser, use, eventsOf } = await withDeleted();
    await restoreTeam(deps, ctx, { teamId });
    expect((await restoreTeam(deps, ctx, { teamId })).position).toBeNull();
    expect((await eventsOf('TeamCreated'))[0]?.data.displayName).toBe('Crew');
    await use.renameByMember();
    await use.changeKey();
    await use.select();
    await use.accept(await newUser());
  });

  test('is not found in another project, nor after the erasure', async () => {
    const { deps, ctx, teamId, eventsOf } = await withDeleted();
    const elsewhere = contextOf('elsewhere');
    await expectRejection(restoreTeam(deps, elsewhere, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
    await expectRejection(eraseTeam(deps, elsewhere, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
    await eraseTeam(deps, ctx, { teamId });
    expect((await eventsOf('TeamCreated'))[0]?.data.displayName).toBeNull();
    await expectRejection(restoreTeam(deps, ctx, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
    await expectRejection(eraseTeam(deps, ctx, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
  });

  test('is erased by the worker at the end of the grace period, unless it was restored', async () => {
    const { deps, ctx, clock, teamId, eventsOf } = await withDeleted();
    clock.advance(30 * dayMs - 1);
    await expectRejection(eraseDueTeam(deps, ctx, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
    await restoreTeam(deps, ctx, { teamId });
    clock.advance(1);
    await expectRejection(eraseDueTeam(deps, ctx, { teamId }), 'TEAM_NOT_FOUND', { team_id: teamId });
    await deleteTeam(deps, ctx, { teamId, by: null, graceDays: 1 });
    clock.advance(dayMs);
    await eraseDueTeam(deps, ctx, { teamId });
    expect((await eventsOf('TeamCreated'))[0]?.data.displayName).toBeNull();
  });

  test('is restored or erased, if both are tried at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { deps, ctx, teamId, eventsOf } = await withDeleted();
      const [restored] = await Promise.allSettled([
        restoreTeam(deps, ctx, { teamId }),
        eraseTeam(deps, ctx, { teamId }),
      ]);
      expect((await deps.store.readStream(`team-${teamId}`)).events.at(-1)?.type).toBe('TeamDeleted');
      expect(await eventsOf('TeamDeletionCanceled')).toHaveLength(restored.status === 'fulfilled' ? 1 : 0);
    }
  });

  test('counts toward the quota of its creator until it is erased', async () => {
    const { deps, ctx, creatorId, project } = await withTeam();
    const create = () => createTeam(deps, ctx, { displayName: 'One', creatorId, project, limit: 1 });
    const { teamId } = (await create()).team;
    await deleteTeam(deps, ctx, { teamId, by: null, graceDays: 30 });
    await expectRejection(create(), 'QUOTA_EXCEEDED', { quota: 'teamsPerUser', limit: 1 });
    await eraseTeam(deps, ctx, { teamId });
    await create();
  });
});
