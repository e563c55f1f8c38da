import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import { withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { ActiveProject } from '@gatebook/domain/project/state';
import type { PublicEventKind, PublicEventType } from '@gatebook/domain/public-events/types';
import type { ActiveTeam } from '@gatebook/domain/team/state';
import { oauthAccountId } from '@gatebook/domain/user/state';
import type { Slot } from './slot.ts';
import { ofOAuthAccount, type ToldUser, toAccountData, toChannelData, toTeamData, toUserData } from './user-data.ts';

export type Data = Readonly<Record<string, unknown>>;
/** What data is made of. Only what `needsOf` names is there. */
export type Facts = {
  event: Recorded<GatebookEvent>;
  slot: Slot;
  user: ToldUser | null;
  /** The team of the event, or the selected team of its user. */
  team: ActiveTeam | null;
  /** Whose key encrypts what the team was created with: its own, or that of the user after whom it is named. */
  teamSubjectId: string | null;
  project: ActiveProject | null;
};

const userTypes: ReadonlySet<PublicEventType> = new Set(['user.created', 'user.updated']);
const channelTypes: ReadonlySet<PublicEventType> = new Set(['contact_channel.created', 'contact_channel.updated']);

/** They name the ID that a permission had before the event. */
const ofFormerDefinition = /^permission_definition\.(updated|deleted)$/;
const restoredAccount = 'connected_account.created';

/** The streams and rows that the data of an event depends on. */
export const needsOf = (type: PublicEventType, kind: PublicEventKind) => ({
  user: userTypes.has(type) || channelTypes.has(type) || (kind === 'user.restored' && type === restoredAccount),
  selectedTeam: userTypes.has(type),
  team: type === 'team.created' || type === 'team.updated',
  project: userTypes.has(type) || /^(team|project)_permission\./.test(type) || ofFormerDefinition.test(type),
  /** As it was before the event. */
  isProjectBefore: ofFormerDefinition.test(type),
});

const millis = (time: string | null) => (time === null ? null : Date.parse(time));
const withoutVerification = { emailVerificationRequired: false };

const findPermissionId = (key: string, project: ActiveProject | null) =>
  withSystemPermissions(project?.permissions ?? []).find((one) => one.key === key)?.id;
/** The ID that the permission had then; its key once it is deleted. */
const permissionId = (key: string, project: ActiveProject | null): string => findPermissionId(key, project) ?? key;

function ofUser({ event, user, team, project }: Facts): Data | null {
  if (!user || (event.type === 'TeamMemberRemoved' && !hasSelected(user, event.data.teamId))) return null;
  return toUserData(user, team, project?.settings ?? withoutVerification);
}

const hasSelected = ({ user }: ToldUser, teamId: string) => user.status === 'active' && user.selectedTeamId === teamId;

/**
 * The data of a public event in the form of the API. Never contains secrets: every field is named here. null: the log
 * has nothing to tell any more.
 */
export function dataOf(facts: Facts): Data | null {
  const { event, team, slot } = facts;
  const { type, part, teamIds } = slot;
  if (userTypes.has(type)) return ofUser(facts);
  if (type === 'team.created' || type === 'team.updated') return team && toTeamData(team);
  if (part !== undefined) return ofPart(facts, part);
  switch (event.type) {
    case 'UserDeletionScheduled':
    case 'UserDeleted':
      return { id: event.data.userId, teams: (teamIds ?? []).map((id) => ({ id })) };
    case 'UserErased':
      return { id: event.data.userId };
    case 'TeamDeletionScheduled':
    case 'TeamDeleted':
      return { id: event.data.teamId };
    default:
      return ofAccount(facts) ?? ofAccess(facts) ?? ofTeamOrProject(facts);
  }
}

/** What a user has, where the event of the log names only the user. */
function ofPart({ slot: { type, userId, teamId }, user, project }: Facts, part: string): Data | null {
  const of = { user_id: userId, ...(teamId !== null && { team_id: teamId }) };
  switch (type) {
    case 'contact_channel.created':
    case 'contact_channel.updated':
      return user && toChannelData(user, part);
    case 'connected_account.created':
      return user && toAccountData(user, part);
    case 'project_permission.created':
    case 'team_permission.created': {
      const id = findPermissionId(part, project);
      // A grant without a definition has no effect.
      return id === undefined ? null : { id, ...of };
    }
    default:
      return of;
  }
}

function ofAccount({ event, user, slot: { type } }: Facts): Data | null {
  switch (event.type) {
    case 'TotpRejected':
      return { user_id: event.data.userId, reason: 'second_factor_rejected', failures: 1, minutes: null };
    case 'SignInsThrottled': {
      const { userId, failures, minutes } = event.data;
      return { user_id: userId, reason: 'throttled', failures, minutes };
    }
    case 'ContactChannelRemoved':
      return { id: event.data.channelId, user_id: event.data.userId };
    case 'PasskeyRegistered':
    case 'PasskeyRemoved':
    case 'TotpSecretChanged':
    case 'UserApiKeysRevoked':
      return { user_id: event.data.userId };
    case 'OAuthAccountLinked':
    case 'OAuthAccountChanged':
      return ofOAuthAccount(event.data.userId, { ...event.data, id: oauthAccountId(event.data) });
    case 'OAuthAccountUnlinked':
      return { user_id: event.data.userId, provider_id: event.data.provider };
    default:
      return type.startsWith('contact_channel.') ? ofChannel(event, user) : null;
  }
}

function ofChannel(event: Recorded<GatebookEvent>, user: ToldUser | null): Data | null {
  if (!user || !('channelId' in event.data) || event.data.channelId === null) return null;
  return toChannelData(user, event.data.channelId);
}

const ownerOf = ({ userId, teamId }: Slot) => ({ user_id: userId, team_id: teamId });

function ofAccess({ event, slot }: Facts): Data | null {
  switch (event.type) {
    case 'SessionStarted': {
      const { sessionId, userId, method, provider, secondFactor, isImpersonation, at, expiresAt } = event.data;
      return {
        ...{ id: sessionId, user_id: userId, method, provider_id: provider, second_factor: secondFactor },
        ...{ is_impersonation: isImpersonation, created_at_millis: millis(at), expires_at_millis: millis(expiresAt) },
      };
    }
    case 'SessionEnded':
      return { id: event.data.sessionId, user_id: event.data.userId, reason: event.data.reason };
    case 'UserSessionsEnded': {
      const { userId, keptSessionId, reason } = event.data;
      return { user_id: userId, kept_session_id: keptSessionId, reason };
    }
    case 'ApiKeyCreated': {
      const { keyId, description, isPublic, lastFour, expiresAt, at } = event.data;
      return {
        ...{ id: keyId, ...ownerOf(slot), description, is_public: isPublic, last_four: lastFour },
        ...{ created_at_millis: millis(at), expires_at_millis: millis(expiresAt) },
      };
    }
    case 'ApiKeyMoved':
    case 'ApiKeyChanged': {
      const { keyId, description, expiresAt } = event.data;
      return { id: keyId, ...ownerOf(slot), description, expires_at_millis: millis(expiresAt) };
    }
    case 'ApiKeyRevoked':
      return { id: event.data.keyId, ...ownerOf(slot) };
    case 'ProjectKeyRevoked':
    case 'ProjectKeyReplaced':
      return { id: event.data.keyId };
    case 'ProjectKeyCreated':
      return {
        ...{ id: event.data.keyId, description: event.data.description },
        ...{ created_at_millis: millis(event.data.at), expires_at_millis: millis(event.data.expiresAt) },
      };
    case 'ProjectKeyExpiryChanged':
      return { id: event.data.keyId, expires_at_millis: millis(event.data.expiresAt) };
    case 'ProjectKeyDescribed':
      return { id: event.data.keyId, description: event.data.description };
    default:
      return null;
  }
}

function ofTeamOrProject({ event, slot, project }: Facts): Data | null {
  switch (event.type) {
    case 'TeamMemberAdded': {
      const { teamId: team_id, userId: user_id, permissionKeys } = event.data;
      const key = permissionKeys[slot.row.index - 1];
      return { ...(key !== undefined && { id: permissionId(key, project) }), user_id, team_id };
    }
    case 'TeamMemberRemoved':
      return { team_id: event.data.teamId, user_id: event.data.userId };
    case 'TeamPermissionGranted':
    case 'TeamPermissionRevoked': {
      const { permissionKey, userId, teamId } = event.data;
      return { id: permissionId(permissionKey, project), user_id: userId, team_id: teamId };
    }
    case 'ProjectPermissionGranted':
    case 'ProjectPermissionRevoked':
      return { id: permissionId(event.data.permissionKey, project), user_id: event.data.userId };
    case 'CodeIssued': {
      const { subjectId, payload, recipient, expiresAt } = event.data;
      const team = { team_id: String(payload.teamId), recipient_email: recipient };
      return { id: subjectId, ...team, expires_at_millis: millis(expiresAt) };
    }
    case 'ProjectDetailsChanged':
    case 'ProjectConfigChanged':
    case 'ProjectSettingsChanged':
    case 'ProjectPasswordMigrationChanged':
      return { id: event.data.projectId };
    case 'PermissionDefinitionCreated': {
      const { id, scope, description } = event.data;
      return { id, scope, description };
    }
    case 'PermissionDefinitionChanged': {
      const { key, id, scope, description } = event.data;
      return { id, scope, description, previous: { id: findPermissionId(key, project) ?? id } };
    }
    case 'PermissionDefinitionDeleted':
      return { id: permissionId(event.data.key, project) };
    case 'WebhookEndpointDisabled':
      return { id: event.data.endpointId, reason: event.data.reason };
    default:
      return null;
  }
}
