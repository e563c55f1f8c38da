import type { Decider } from '../decider.ts';
import { canDisable, type NotificationCategory } from '../email/categories.ts';
import { reject } from '../errors.ts';
import type { ReservationKind } from '../reservation/events.ts';
import { stateVersions } from '../state-versions.ts';
import { type AdminFieldCommand, decideAdminField } from './admin-fields.ts';
import { type ContactChannelCommand, decideContactChannel } from './contact-channels.ts';
import { type DeletionCommand, decideDeletion } from './deletion.ts';
import { type SignInMethod, type UserEvent, unknownSignIn } from './events.ts';
import { type ChangePrimaryEmail, changePrimaryEmail } from './primary-email.ts';
import { decideSignInMethod, type SignInMethodCommand } from './sign-in-methods.ts';
import {
  type ActiveUser,
  evolveUser,
  initialState,
  primaryChannel,
  type UserAwaitingDeletion,
  type UserState,
} from './state.ts';

type Json = UserCreatedData['clientMetadata'];
type UserCreatedData = Extract<UserEvent, { type: 'UserCreated' }>['data'];

type CreateUser = {
  type: 'CreateUser';
  userId: string;
  projectId: string;
  displayName: string | null;
  profileImageUrl: string | null;
  clientMetadata: Json;
  clientReadOnlyMetadata: Json;
  serverMetadata: Json;
  isAnonymous: boolean;
  method: SignInMethod;
  email: { channelId: string; value: string; isVerified: boolean; usedForAuth: boolean } | null;
  passwordHash: string | null;
  isOtpEnabled: boolean;
  /** ISO time; default: `at`. */
  signedUpAt?: string;
  /** Keys of the permissions that the project grants every user. */
  permissions: readonly string[];
  at: string;
} & Partial<SignInFacts>;
type SignInFacts = Pick<Extract<UserEvent, { type: 'UserCreated' }>['data'], keyof typeof unknownSignIn>;
type RenameUser = { type: 'RenameUser'; displayName: string | null; at: string };
type ChangeUserImage = { type: 'ChangeUserImage'; profileImageUrl: string | null; at: string };
type ChangeUserMetadata = {
  type: 'ChangeUserMetadata';
  scope: 'client' | 'client_read_only' | 'server';
  value: Json;
  at: string;
};
/** The user sets their first password. */
type SetPassword = { type: 'SetPassword'; passwordHash: string; at: string };
/** `oldPasswordMatches` is null when the user has no password. */
type UpdatePassword = {
  type: 'UpdatePassword';
  oldPasswordMatches: boolean | null;
  passwordHash: string;
  keptSessionId: string | null;
  at: string;
};
/** `passwordHash` null removes the password. `isMethodOn`: whether the project allows sign-in with a password. */
type SetPasswordByServer = {
  type: 'SetPasswordByServer';
  passwordHash: string | null;
  isMethodOn: boolean;
  at: string;
};
/** The same password, hashed with the current parameters. `replaces` is the hash that was verified. */
type RehashPassword = { type: 'RehashPassword'; passwordHash: string; replaces: string; at: string };
/**
 * The password that the user had in a former system. Does nothing if they have one by now. `endsAccess`: also ends all
 * sessions and API keys that exist.
 */
type MigratePassword = { type: 'MigratePassword'; passwordHash: string; endsAccess: boolean; at: string };
type ChangeOtpAuth = { type: 'ChangeOtpAuth'; isEnabled: boolean; isMethodOn: boolean; at: string };
type GrantProjectPermission = { type: 'GrantProjectPermission'; permissionKey: string; at: string };
/** `permissionKey` is null when no definition has the given ID. */
type RevokeProjectPermission = {
  type: 'RevokeProjectPermission';
  permissionKey: string | null;
  permissionId: string;
  at: string;
};
type SelectTeam = { type: 'SelectTeam'; teamId: string | null; at: string };
type ChangeNotificationPreference = {
  type: 'ChangeNotificationPreference';
  category: NotificationCategory;
  isEnabled: boolean;
  at: string;
};
/** Records that the user gets everything of another one. The commands that follow say what. */
type RecordMerge = { type: 'RecordMerge'; mergedUserId: string; at: string };
type ExportUser = { type: 'ExportUser'; at: string };
/** The encryption key of a deleted user was destroyed. */
type RecordErasure = { type: 'RecordErasure'; at: string };
/** Makes every pending write to this user conflict, before somebody else takes over the user's reservation. */
type ExpireReservation = { type: 'ExpireReservation'; userId: string; kind: ReservationKind; at: string };

export type UserCommand =
  | CreateUser
  | RenameUser
  | ChangeUserImage
  | ChangeUserMetadata
  | ChangePrimaryEmail
  | SetPassword
  | UpdatePassword
  | SetPasswordByServer
  | RehashPassword
  | MigratePassword
  | ChangeOtpAuth
  | SignInMethodCommand
  | ContactChannelCommand
  | AdminFieldCommand
  | GrantProjectPermission
  | RevokeProjectPermission
  | SelectTeam
  | ChangeNotificationPreference
  | RecordMerge
  | ExportUser
  | DeletionCommand
  | RecordErasure
  | ExpireReservation;

function decideUser(command: UserCommand, state: UserState): readonly UserEvent[] {
  if (command.type === 'CreateUser') return createUser(command, state);
  if (command.type === 'RecordErasure') return recordErasure(command, state);
  if (command.type === 'ExpireReservation') return expireReservation(command, state);
  if (state.status === 'awaiting_deletion') return decideOnAwaiting(command, state);
  if (state.status !== 'active') return reject('USER_NOT_FOUND');
  switch (command.type) {
    case 'RenameUser':
      return [
        { type: 'UserRenamed', data: { userId: state.userId, displayName: command.displayName, at: command.at } },
      ];
    case 'ChangeUserImage': {
      const { profileImageUrl, at } = command;
      return [{ type: 'UserImageChanged', data: { userId: state.userId, profileImageUrl, at } }];
    }
    case 'ChangeUserMetadata': {
      const { scope, value, at } = command;
      return [{ type: 'UserMetadataChanged', data: { userId: state.userId, scope, value, at } }];
    }
    case 'ChangePrimaryEmail':
      return changePrimaryEmail(command, state);
    case 'SetPassword':
      return setPassword(command, state);
    case 'UpdatePassword':
      return updatePassword(command, state);
    case 'SetPasswordByServer':
      return setPasswordByServer(command, state);
    case 'RehashPassword':
      return rehashPassword(command, state);
    case 'MigratePassword': {
      if (state.hasPassword) return [];
      const { passwordHash, endsAccess, at } = command;
      const { userId } = state;
      const set: UserEvent = { type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'rehash', at } };
      if (!endsAccess) return [set];
      const reason = 'password_by_server' as const;
      return [
        set,
        { type: 'UserApiKeysRevoked', data: { userId, at } },
        { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason, at } },
      ];
    }
    case 'ChangeOtpAuth':
      return changeOtpAuth(command, state);
    case 'GrantProjectPermission': {
      const { permissionKey, at } = command;
      if (state.permissions.has(permissionKey)) return [];
      return [{ type: 'ProjectPermissionGranted', data: { userId: state.userId, permissionKey, at } }];
    }
    case 'RevokeProjectPermission': {
      const { permissionKey, permissionId, at } = command;
      if (permissionKey === null || !state.permissions.has(permissionKey)) {
        return reject('PERMISSION_NOT_FOUND', { permission_id: permissionId });
      }
      return [{ type: 'ProjectPermissionRevoked', data: { userId: state.userId, permissionKey, at } }];
    }
    case 'SelectTeam':
      return [{ type: 'TeamSelected', data: { userId: state.userId, teamId: command.teamId, at: command.at } }];
    case 'ChangeNotificationPreference':
      return changeNotificationPreference(command, state);
    case 'RecordMerge': {
      const { userId, projectId } = state;
      return [{ type: 'UserMerged', data: { userId, projectId, mergedUserId: command.mergedUserId, at: command.at } }];
    }
    case 'ExportUser':
      return [{ type: 'UserExported', data: { userId: state.userId, at: command.at } }];
    case 'ScheduleDeletion':
    case 'RestoreUser':
    case 'DeleteUser':
      return decideDeletion(command, state);
    case 'ChangeAdminRestriction':
    case 'ChangeCountryCode':
    case 'ChangeRiskScores':
      return decideAdminField(command, state);
    case 'AddChannel':
    case 'ChangeChannel':
    case 'RemoveChannel':
      return decideContactChannel(command, state);
    default:
      return decideSignInMethod(command, state);
  }
}

/** A user who awaits deletion counts as deleted, but keeps their reservations. */
function decideOnAwaiting(command: UserCommand, state: UserAwaitingDeletion): readonly UserEvent[] {
  switch (command.type) {
    case 'RestoreUser':
    case 'DeleteUser':
      return decideDeletion(command, state);
    // A verified address ends the unverified use of the same address, even that of a deleted user.
    case 'ReleaseAddress':
      return decideSignInMethod(command, state.user);
    default:
      return reject('USER_NOT_FOUND');
  }
}

function recordErasure({ at }: RecordErasure, state: UserState): readonly UserEvent[] {
  if (state.status !== 'deleted' || state.erasedAt !== null) return [];
  return [{ type: 'UserErased', data: { userId: state.userId, projectId: state.projectId, at } }];
}

function expireReservation({ type: _, ...data }: ExpireReservation, state: UserState): readonly UserEvent[] {
  return state.status === 'deleted' ? [] : [{ type: 'ReservationExpired', data }];
}

function createUser(command: CreateUser, state: UserState): readonly UserEvent[] {
  if (state.status !== 'absent') throw new Error(`user ${command.userId} exists already`);
  const { type: _, email, passwordHash, isOtpEnabled, permissions, ...created } = command;
  const { userId, at } = command;
  const events: UserEvent[] = [{ type: 'UserCreated', data: { ...unknownSignIn, ...created } }];
  if (email) {
    const channel = { userId, ...email, channelType: 'email' as const, isPrimary: true, at };
    events.push({ type: 'ContactChannelAdded', data: channel });
  }
  if (passwordHash !== null) {
    const origin = command.method === 'server' ? 'server' : 'sign_up';
    events.push({ type: 'UserPasswordSet', data: { userId, passwordHash, origin, at } });
  }
  if (isOtpEnabled) events.push({ type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } });
  for (const permissionKey of permissions) {
    events.push({ type: 'ProjectPermissionGranted', data: { userId, permissionKey, at } });
  }
  return events;
}

function setPassword({ passwordHash, at }: SetPassword, { userId, hasPassword }: ActiveUser): readonly UserEvent[] {
  if (hasPassword) return reject('USER_ALREADY_HAS_PASSWORD');
  return [{ type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'set', at } }];
}

function updatePassword(command: UpdatePassword, { userId, hasPassword }: ActiveUser): readonly UserEvent[] {
  const { oldPasswordMatches, passwordHash, keptSessionId, at } = command;
  if (!hasPassword) return reject('USER_DOES_NOT_HAVE_PASSWORD');
  if (oldPasswordMatches !== true) return reject('PASSWORD_CONFIRMATION_MISMATCH');
  return [
    { type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'update', at } },
    { type: 'UserSessionsEnded', data: { userId, keptSessionId, reason: 'password_update', at } },
  ];
}

/**
 * (protocol, resources §1.6) A first password requires the method to be on and a primary email, a replacement neither.
 */
function setPasswordByServer(command: SetPasswordByServer, user: ActiveUser): readonly UserEvent[] {
  const { passwordHash, isMethodOn, at } = command;
  const { userId, hasPassword } = user;
  if (passwordHash === null) {
    const reason = 'password_removed' as const;
    const ended: UserEvent = { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason, at } };
    return hasPassword ? [{ type: 'UserPasswordRemoved', data: { userId, at } }, ended] : [ended];
  }
  if (!hasPassword && !isMethodOn) return reject('PASSWORD_METHOD_DISABLED');
  if (!hasPassword && !primaryChannel(user)) return reject('PASSWORD_REQUIRES_PRIMARY_EMAIL');
  return [
    { type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'server', at } },
    { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'password_by_server', at } },
  ];
}

/** Does nothing if the password has changed since it was verified. */
function rehashPassword({ passwordHash, replaces, at }: RehashPassword, user: ActiveUser): readonly UserEvent[] {
  if (user.passwordHash !== replaces) return [];
  return [{ type: 'UserPasswordSet', data: { userId: user.userId, passwordHash, origin: 'rehash', at } }];
}

function changeNotificationPreference(
  { category, isEnabled, at }: ChangeNotificationPreference,
  { userId, projectId, disabledCategories }: ActiveUser,
): readonly UserEvent[] {
  if (!isEnabled && !canDisable(category)) return reject('NOTIFICATION_CATEGORY_REQUIRED');
  if (isEnabled === !disabledCategories.has(category)) return [];
  return [{ type: 'NotificationPreferenceChanged', data: { userId, projectId, category, isEnabled, at } }];
}

function changeOtpAuth({ isEnabled, isMethodOn, at }: ChangeOtpAuth, user: ActiveUser): readonly UserEvent[] {
  if (isEnabled === user.isOtpEnabled) return [];
  if (isEnabled && !isMethodOn) return reject('OTP_METHOD_DISABLED');
  return [{ type: 'OtpAuthChanged', data: { userId: user.userId, isEnabled, at } }];
}

export const userDecider: Decider<UserState, UserCommand, UserEvent> = {
  initialState,
  decide: decideUser,
  evolve: evolveUser,
  stateVersion: stateVersions.user,
};
