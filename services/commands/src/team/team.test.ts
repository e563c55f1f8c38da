import { defaultTeamName } from '@gatebook/domain/team/state';
import { describe, expect, test } from 'vitest';
import { definePermission, deletePermission } from '../permission/definitions.ts';
import { grantTeamPermission, revokeTeamPermission } from '../permission/grants.ts';
import { signUp, testProject } from '../testing/people.ts';
import { withTeam } from '../testing/teams.ts';
import { contextOf, crashAfter, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { deleteTeam } from './delete-team.ts';
import { addTeamMember, changeTeamProfile, createTeam, removeTeamMember, updateTeam } from './team.ts';

const elsewhere = contextOf('elsewhere');

describe('a team', () => {
  test('is created with a creator, who gets the default permissions, or without one', async () => {
    const { deps, ctx, teamId, creatorId, project, eventsOf } = await withTeam();
    expect((await eventsOf('TeamMemberAdded'))[0]?.data).toMatchObject({
      teamId,
      userId: creatorId,
      how: 'created',
      permissionKeys: ['team_admin'],
    });
    await createTeam(deps, ctx, { displayName: '', creatorId: null, project });
    expect(await eventsOf('TeamMemberAdded')).toHaveLength(1);
    const head = await deps.store.head();
    const unknown = createTeam(deps, ctx, { displayName: 'x', creatorId: deps.newId(), project });
    await expectRejection(unknown, 'USER_NOT_FOUND');
    expect(await deps.store.head()).toBe(head);
  });

  test('is changed by a server or by a member with permission', async () => {
    const { deps, ctx, teamId, creatorId, newUser, project } = await withTeam();
    const { team } = await updateTeam(deps, ctx, { teamId, by: null, displayName: 'Band', serverMetadata: 1 });
    expect(team).toMatchObject({ displayName: 'Band', serverMetadata: 1, clientMetadata: null });
    await updateTeam(deps, ctx, { teamId, by: creatorId, displayName: 'Choir' });
    const member = await newUser();
    const change = (by: string) => updateTeam(deps, ctx, { teamId, by, displayName: 'x' });
    const place = { team_id: teamId, user_id: member };
    await expectRejection(change(member), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
    await addTeamMember(deps, ctx, { teamId, userId: member, project });
    await expectRejection(change(member), 'TEAM_PERMISSION_REQUIRED', { ...place, permission_id: '$update_team' });
    await grantTeamPermission(deps, ctx, { teamId, userId: member, permissionId: '$update_team' });
    await change(member);
    await revokeTeamPermission(deps, ctx, { teamId, userId: member, permissionId: '$update_team' });
    await expectRejection(change(member), 'TEAM_PERMISSION_REQUIRED', { ...place, permission_id: '$update_team' });
    const unknown = updateTeam(deps, ctx, { teamId: deps.newId(), by: null });
    await expect(unknown).rejects.toMatchObject({ code: 'TEAM_NOT_FOUND' });
    await expect(updateTeam(deps, elsewhere, { teamId, by: null })).rejects.toMatchObject({ code: 'TEAM_NOT_FOUND' });
  });

  test('is deleted once and its data is erased', async () => {
    const { deps, ctx, teamId, creatorId, eventsOf } = await withTeam();
    await deleteTeam(deps, ctx, { teamId, by: creatorId });
    expect((await eventsOf('TeamCreated'))[0]?.data.displayName).toBeNull();
    await expectRejection(deleteTeam(deps, ctx, { teamId, by: null }), 'TEAM_NOT_FOUND', { team_id: teamId });
    const place = { team_id: teamId, user_id: creatorId };
    await expectRejection(deleteTeam(deps, ctx, { teamId, by: creatorId }), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  });
});

describe('members', () => {
  test('are added once with default permissions; user, team and membership are checked in this order', async () => {
    const { deps, ctx, teamId, creatorId, newUser, project, eventsOf } = await withTeam();
    const userId = await newUser();
    await addTeamMember(deps, ctx, { teamId, userId, project });
    expect((await eventsOf('TeamMemberAdded'))[1]?.data).toMatchObject({
      permissionKeys: ['team_member'],
      how: 'added',
    });
    const add = (team: string, user: string, where = ctx) =>
      addTeamMember(deps, where, { teamId: team, userId: user, project });
    const unknown = deps.newId();
    await expectRejection(add(unknown, unknown), 'USER_NOT_FOUND');
    await expectRejection(add(unknown, creatorId), 'TEAM_NOT_FOUND', { team_id: unknown });
    await expectRejection(add(teamId, creatorId), 'TEAM_MEMBERSHIP_ALREADY_EXISTS');
    await expectRejection(add(teamId, userId, elsewhere), 'USER_NOT_FOUND');
  });

  test('can leave and, with permission, remove others', async () => {
    const { deps, ctx, teamId, creatorId, newUser, project } = await withTeam();
    const [ann, bob] = [await newUser(), await newUser()];
    for (const userId of [ann, bob]) await addTeamMember(deps, ctx, { teamId, userId, project });
    const remove = (userId: string, by: string | null) => removeTeamMember(deps, ctx, { teamId, userId, by });
    const missing = (userId: string) => ['TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId }] as const;
    const right = { team_id: teamId, user_id: ann, permission_id: '$remove_members' };
    await expectRejection(remove(bob, ann), 'TEAM_PERMISSION_REQUIRED', right);
    await expectRejection(remove(deps.newId(), ann), 'TEAM_PERMISSION_REQUIRED', right);
    await remove(ann, ann);
    await expectRejection(remove(bob, ann), ...missing(ann));
    await expectRejection(remove(deps.newId(), creatorId), 'USER_NOT_FOUND');
    await remove(bob, creatorId);
    await expectRejection(remove(bob, null), ...missing(bob));
    await remove(creatorId, null);
  });

  test('have a profile per team until they leave', async () => {
    const { deps, ctx, teamId, creatorId, project, eventsOf } = await withTeam();
    const place = { teamId, userId: creatorId };
    const { profile } = await changeTeamProfile(deps, ctx, { ...place, displayName: 'Chief' });
    expect(profile).toEqual({ displayName: 'Chief', profileImageUrl: null });
    expect((await changeTeamProfile(deps, ctx, place)).position).toBeNull();
    await removeTeamMember(deps, ctx, { ...place, by: null });
    await addTeamMember(deps, ctx, { ...place, project });
    expect((await changeTeamProfile(deps, ctx, place)).profile.displayName).toBeNull();
    await deleteUser(deps, ctx, { userId: creatorId });
    expect((await eventsOf('TeamProfileChanged'))[0]?.data.displayName).toBeNull();
    await expectRejection(changeTeamProfile(deps, ctx, place), 'USER_NOT_FOUND');
  });
});

describe('a permission grant', () => {
  test('checks user, membership and permission in this order', async () => {
    const { deps, ctx, teamId, creatorId, newUser } = await withTeam();
    await definePermission(deps, ctx, { scope: 'project', id: 'p', description: null, contained: [] });
    const grant = (userId: string, permissionId: string, team = teamId) =>
      grantTeamPermission(deps, ctx, { teamId: team, userId, permissionId });
    const outsider = await newUser();
    await expectRejection(grant(deps.newId(), 'x'), 'USER_NOT_FOUND');
    const place = { team_id: teamId, user_id: outsider };
    await expectRejection(grant(outsider, 'x'), 'TEAM_MEMBERSHIP_NOT_FOUND', place);
    await expectRejection(grant(creatorId, 'x'), 'PERMISSION_NOT_FOUND', { permission_id: 'x' });
    const scopes = { permission_id: 'p', expected_scope: 'team', actual_scope: 'project' };
    await expectRejection(grant(creatorId, 'p'), 'WRONG_PERMISSION_SCOPE', scopes);
    expect((await grant(creatorId, 'team_admin')).position).toBeNull();
  });

  test('has no effect once its definition is deleted, even when the ID is reused', async () => {
    const { deps, ctx, teamId, newUser, project } = await withTeam();
    const userId = await newUser();
    await addTeamMember(deps, ctx, { teamId, userId, project });
    const boss = { scope: 'team', id: 'boss', description: null, contained: ['$update_team'] } as const;
    await definePermission(deps, ctx, boss);
    await grantTeamPermission(deps, ctx, { teamId, userId, permissionId: 'boss' });
    const change = () => updateTeam(deps, ctx, { teamId, by: userId, displayName: 'x' });
    await change();
    await deletePermission(deps, ctx, boss);
    await expect(change()).rejects.toMatchObject({ code: 'TEAM_PERMISSION_REQUIRED' });
    await definePermission(deps, ctx, boss);
    await expect(change()).rejects.toMatchObject({ code: 'TEAM_PERMISSION_REQUIRED' });
  });
});

describe('selecting a team', () => {
  test('requires a membership', async () => {
    const { deps, ctx, teamId, creatorId, newUser, project, typesAfter } = await withTeam();
    const head = await deps.store.head();
    await updateUser(deps, ctx, { userId: creatorId, project, selectedTeamId: teamId });
    await updateUser(deps, ctx, { userId: creatorId, project, selectedTeamId: null });
    expect(await typesAfter(head)).toEqual(['TeamSelected', 'TeamSelected']);
    const outsider = await newUser();
    const select = updateUser(deps, ctx, { userId: outsider, project, selectedTeamId: teamId, displayName: 'x' });
    await expectRejection(select, 'TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: outsider });
    await deleteTeam(deps, ctx, { teamId, by: null });
    const gone = updateUser(deps, ctx, { userId: creatorId, project, selectedTeamId: teamId });
    await expectRejection(gone, 'TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: creatorId });
  });
});

describe('the defaults of a project for new users', () => {
  const project = {
    ...testProject,
    config: { ...testProject.config, createTeamOnSignUp: true, userDefaultPermissions: ['buyer'] },
    permissions: [
      ...testProject.permissions,
      { key: 'key-buyer', id: 'buyer', scope: 'project' as const, description: null, contained: [] },
    ],
  };
  const ctx = contextOf('shop');

  test('are permissions and a selected personal team', async () => {
    const { deps, eventsOf } = await createWorld();
    const { userId } = await createUser(deps, ctx, { project, displayName: 'Ann' });
    const [team] = await eventsOf('TeamCreated');
    expect(team?.data).toMatchObject({ displayName: "Ann's Team", subjectId: userId, creatorId: userId });
    expect((await eventsOf('TeamMemberAdded'))[0]?.data).toMatchObject({ userId, how: 'sign_up' });
    expect((await eventsOf('TeamSelected'))[0]?.data.teamId).toBe(team?.data.teamId);
    expect((await eventsOf('ProjectPermissionGranted'))[0]?.data).toMatchObject({ userId, permissionKey: 'key-buyer' });
  });

  test('name the team after the address or use the default name', async () => {
    const { deps, eventsOf } = await createWorld();
    await createUser(deps, ctx, { project, primaryEmail: 'bob@example.com' });
    await createUser(deps, ctx, { project });
    const names = (await eventsOf('TeamCreated')).map(({ data }) => data.displayName);
    expect(names).toEqual(["bob@example.com's Team", defaultTeamName]);
  });

  test('apply to every sign-up, and the team name is erased with the user', async () => {
    const { deps, eventsOf } = await createWorld();
    const { userId, user } = await signUp(deps, ctx, {
      email: 'eve@example.com',
      password: 'correct horse',
      config: { createTeamOnSignUp: true },
    });
    expect(user.selectedTeamId).toBe((await eventsOf('TeamCreated'))[0]?.data.teamId);
    await deleteUser(deps, ctx, { userId });
    expect((await eventsOf('TeamCreated'))[0]?.data.displayName).toBeNull();
  });

  test('leave a user without a team or a team without members after a crash at worst', async () => {
    const { deps, eventsOf } = await createWorld();
    for (const kept of [1, 2]) {
      await expect(createUser(crashAfter(kept, deps), ctx, { project })).rejects.toThrow('the process died');
    }
    expect(await eventsOf('UserCreated')).toHaveLength(2);
    expect(await eventsOf('TeamCreated')).toHaveLength(1);
    expect(await eventsOf('TeamMemberAdded')).toHaveLength(0);
  });
});
