import { type MembershipCommand, membershipDecider } from '@gatebook/domain/membership/decide';
import type { MembershipState } from '@gatebook/domain/membership/state';
import type { TeamEvent } from '@gatebook/domain/team/events';
import { existingTeam, type TeamState } from '@gatebook/domain/team/state';
import { streamOf } from '../streams.ts';
import { loadExistingTeam, loadTeam } from '../team/team-permissions.ts';
import { loadUser } from '../user/load-user.ts';
import { keyed, keysOnlyIn, type Restorable, requireDefined, requireGraceLeft } from './restorable.ts';
import { isSameValue } from './restore-values.ts';

type Json = Extract<TeamEvent, { type: 'TeamMetadataChanged' }>['data']['value'];
type TeamValues = {
  display_name: string;
  profile_image_url: string | null;
  client_metadata: Json;
  client_read_only_metadata: Json;
  server_metadata: Json;
  scheduled_deletion: { erased_at: string } | null;
};

export const restorableTeam: Restorable<TeamState, TeamValues> = {
  valuesOf: (state) => {
    const team = existingTeam(state);
    return (
      team && {
        display_name: team.displayName,
        profile_image_url: team.profileImageUrl,
        client_metadata: team.clientMetadata,
        client_read_only_metadata: team.clientReadOnlyMetadata,
        server_metadata: team.serverMetadata,
        scheduled_deletion: state.status === 'awaiting_deletion' ? { erased_at: state.deleteAt } : null,
      }
    );
  },
  restore: async (work, teamId, { from, to }, { at }) => {
    const isRestored = from.scheduled_deletion !== null && to.scheduled_deletion === null;
    const team = await (isRestored ? loadExistingTeam : loadTeam)(work, teamId);
    if (isRestored) team.decide({ type: 'RestoreTeam', at });
    const changed = <Name extends keyof TeamValues>(name: Name) =>
      isSameValue(from[name], to[name]) ? undefined : to[name];
    team.decide({
      type: 'ChangeTeam',
      displayName: changed('display_name'),
      profileImageUrl: changed('profile_image_url'),
      clientMetadata: changed('client_metadata'),
      clientReadOnlyMetadata: changed('client_read_only_metadata'),
      serverMetadata: changed('server_metadata'),
      at,
    });
    const deletion = to.scheduled_deletion;
    if (deletion === null || isSameValue(from.scheduled_deletion, deletion)) return;
    team.decide({ type: 'ScheduleDeletion', graceDays: requireGraceLeft(deletion.erased_at, at), at });
  },
};

type Membership = {
  permissions: Record<string, true>;
  profile: { display_name: string | null; profile_image_url: string | null };
};
/** null: not a member. */
type MembershipValues = { membership: Membership | null };

export const restorableMembership: Restorable<MembershipState, MembershipValues> = {
  valuesOf: (state) => {
    if (state.status === 'none') return { membership: null };
    const { displayName, profileImageUrl } = state.profile;
    const profile = { display_name: displayName, profile_image_url: profileImageUrl };
    return { membership: { permissions: keyed(state.permissions), profile } };
  },
  restore: async (work, id, { from: { membership: from }, to: { membership: to } }, { project, at }) => {
    const [teamId = '', userId = ''] = id.split('.');
    const { projectId } = work.ctx;
    await loadTeam(work, teamId);
    await loadUser(work, userId);
    const member = await work.load(membershipDecider, streamOf.membership(teamId, userId));
    if (to === null) return member.decide({ type: 'RemoveMember', how: 'removed', at });
    const permissionKeys = Object.keys(to.permissions);
    if (from === null) {
      member.decide({ type: 'AddMember', teamId, userId, projectId, permissionKeys, how: 'added', at });
    } else {
      const granted = keysOnlyIn(to.permissions, from.permissions);
      requireDefined(granted, project.permissions);
      for (const command of permissionCommands(granted, keysOnlyIn(from.permissions, to.permissions), at)) {
        member.decide(command);
      }
    }
    const { display_name: displayName, profile_image_url: profileImageUrl } = to.profile;
    const noProfile = { display_name: null, profile_image_url: null };
    if (isSameValue(from?.profile ?? noProfile, to.profile)) return;
    member.decide({ type: 'ChangeProfile', displayName, profileImageUrl, at });
  },
};

const permissionCommands = (granted: readonly string[], revoked: readonly string[], at: string) => [
  ...granted.map((permissionKey): MembershipCommand => ({ type: 'GrantPermission', permissionKey, at })),
  ...revoked.map((permissionKey): MembershipCommand => {
    return { type: 'RevokePermission', permissionKey, permissionId: permissionKey, at };
  }),
];
