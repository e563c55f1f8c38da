import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { type MembershipCommand, membershipDecider } from './decide.ts';
import type { MembershipEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const teamId = '00000000-0000-4000-8000-000000000001';
const userId = '00000000-0000-4000-8000-000000000002';
const member = { teamId, userId, projectId: 'shop' };
const membership = { ...member, permissionKeys: ['team_member'], how: 'added' as const, at };
const added: MembershipEvent = { type: 'TeamMemberAdded', data: membership };
const left: MembershipEvent = { type: 'TeamMemberRemoved', data: { ...member, how: 'left', at } };
const granted = (permissionKey: string): MembershipEvent => {
  return { type: 'TeamPermissionGranted', data: { ...member, permissionKey, at } };
};
const revoked = (permissionKey: string): MembershipEvent => {
  return { type: 'TeamPermissionRevoked', data: { ...member, permissionKey, at } };
};
const add = { type: 'AddMember', ...membership } as const;
const revoke = (permissionKey: string | null) =>
  ({ type: 'RevokePermission', permissionKey, permissionId: 'p', at }) as const;

describe('a membership', () => {
  test('can start again only after it ended', () => {
    given(membershipDecider).when(add).then(added);
    given(membershipDecider, added).when(add).thenRejected('TEAM_MEMBERSHIP_ALREADY_EXISTS');
    given(membershipDecider, added, left).when(add).then(added);
  });
  test('loses its permissions and profile when it ends', () => {
    given(membershipDecider, added).when({ type: 'RemoveMember', how: 'left', at }).then(left);
    const again = [added, granted('x'), left, added].reduce(membershipDecider.evolve, membershipDecider.initialState);
    expect(again).toMatchObject({ permissions: new Set(['team_member']), profile: { displayName: null } });
  });
  test('records the use of a permission', () =>
    given(membershipDecider, added)
      .when({ type: 'UsePermission', permissionKey: '$remove_members', at })
      .then({ type: 'TeamPermissionUsed', data: { teamId, userId, permissionKey: '$remove_members', at } }));
  test.each<MembershipCommand>([
    { type: 'RemoveMember', how: 'left', at },
    { type: 'ChangeProfile', displayName: 'x', at },
    { type: 'GrantPermission', permissionKey: 'x', at },
    revoke('x'),
    { type: 'UsePermission', permissionKey: 'x', at },
  ])('that does not exist rejects $type', (command) => {
    given(membershipDecider).when(command).thenRejected('TEAM_MEMBERSHIP_NOT_FOUND');
    given(membershipDecider, added, left).when(command).thenRejected('TEAM_MEMBERSHIP_NOT_FOUND');
  });
});

describe('permissions of a member', () => {
  test('are granted at most once', () => {
    given(membershipDecider, added).when({ type: 'GrantPermission', permissionKey: 'x', at }).then(granted('x'));
    given(membershipDecider, added, granted('x')).when({ type: 'GrantPermission', permissionKey: 'x', at }).then();
    given(membershipDecider, added).when({ type: 'GrantPermission', permissionKey: 'team_member', at }).then();
  });
  test('are revoked only if granted directly', () => {
    given(membershipDecider, added).when(revoke('team_member')).then(revoked('team_member'));
    const details = { team_id: teamId, user_id: userId, permission_id: 'p' };
    given(membershipDecider, added).when(revoke('x')).thenRejected('TEAM_PERMISSION_NOT_FOUND', details);
    given(membershipDecider, added).when(revoke(null)).thenRejected('TEAM_PERMISSION_NOT_FOUND', details);
    given(membershipDecider, added, granted('x'), revoked('x'))
      .when(revoke('x'))
      .thenRejected('TEAM_PERMISSION_NOT_FOUND', details);
  });
});

test('changing one field of a team profile keeps the other', () => {
  const profile = { teamId, userId, displayName: 'Annie', profileImageUrl: null, at };
  const changed: MembershipEvent = { type: 'TeamProfileChanged', data: profile };
  given(membershipDecider, added).when({ type: 'ChangeProfile', displayName: 'Annie', at }).then(changed);
  given(membershipDecider, added, changed)
    .when({ type: 'ChangeProfile', profileImageUrl: 'https://x.example/a.png', at })
    .then({ type: 'TeamProfileChanged', data: { ...profile, profileImageUrl: 'https://x.example/a.png' } });
});
