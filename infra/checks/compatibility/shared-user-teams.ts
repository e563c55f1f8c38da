import { expect } from 'vitest';
import { idsOf } from './expectations.ts';
import type { Cases } from './kinds.ts';
import type { MakeSubject } from './subject.ts';
import { page } from './world.ts';

export const teamCases = (make: MakeSubject): Cases => ({
  createTeam: async (world) => {
    const { user, reload } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    expect((await reload())?.selectedTeam).toMatchObject({ id: team.id, displayName: 'Band' });
    return team;
  },
  listTeams: async (world) => {
    const { user } = await make(world);
    const teams = [await user.createTeam({ displayName: 'A' }), await user.createTeam({ displayName: 'B' })];
    expect(idsOf(await user.listTeams())).toEqual(idsOf(teams));
    return teams;
  },
  getTeam: async (world) => {
    const { user } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    expect(await user.getTeam(team.id)).toMatchObject({ displayName: 'Band' });
    expect(await user.getTeam(user.id)).toBeNull();
  },
  setSelectedTeam: async (world) => {
    const { user, reload } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    await user.setSelectedTeam(null);
    expect((await reload())?.selectedTeam).toBeNull();
    await user.setSelectedTeam(team);
    expect((await reload())?.selectedTeam?.id).toBe(team.id);
  },
  leaveTeam: async (world) => {
    const { user } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    await user.leaveTeam(team);
    expect(await user.listTeams()).toHaveLength(0);
  },
  getTeamProfile: async (world) => {
    const { user } = await make(world);
    const profile = await user.getTeamProfile(await user.createTeam({ displayName: 'Band' }));
    expect(profile).toMatchObject({ displayName: user.displayName });
    return profile;
  },
  listTeamInvitations: async (world) => {
    const { user, email, reload } = await make(world);
    const other = await world.signedUp();
    const team = await other.user.createTeam({ displayName: 'Band' });
    await team.inviteUser({ email, callbackUrl: page('team-invitation') });
    expect(await user.listTeamInvitations()).toEqual([]);
    await world.verify(email);
    const invitations = await (await reload())?.listTeamInvitations();
    expect(invitations).toMatchObject([{ teamId: team.id, teamDisplayName: 'Band', recipientEmail: email }]);
    return invitations;
  },
  listPermissions: async (world) => {
    const { user } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    expect(idsOf(await user.listPermissions(team, { recursive: false }))).toEqual(['team_admin']);
    expect(idsOf(await user.listPermissions(team))).toContain('$update_team');
    expect(await user.listPermissions()).toEqual([]);
  },
  getPermission: async (world) => {
    const { user } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    expect(await user.getPermission(team, '$delete_team')).toMatchObject({ id: '$delete_team' });
    expect(await user.getPermission(team, 'unknown')).toBeNull();
  },
  hasPermission: async (world) => {
    const { user } = await make(world);
    const team = await user.createTeam({ displayName: 'Band' });
    expect(await user.hasPermission(team, '$delete_team')).toBe(true);
    expect(await user.hasPermission(team, 'unknown')).toBe(false);
  },
});
