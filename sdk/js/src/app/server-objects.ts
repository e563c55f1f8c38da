import type { ServerTeamView } from '@gatebook/contract/teams';
import type { ServerUserView } from '@gatebook/contract/users';
import type { Json } from '../json.ts';
import type { AuthJson } from './auth-methods.ts';
import type { Read } from './cache.ts';
import type { ServerContactChannel, ServerContactChannelCreateOptions } from './contact-channels.ts';
import type { NotOffered } from './not-offered.ts';
import type { Context } from './reads.ts';
import type { TeamCreateOptions, TeamFields, TeamMemberProfile, TeamMethods, TeamUpdateOptions } from './teams.ts';
import type { User, UserMethods, UserUpdateOptions } from './users.ts';

/** What objects with server access read and write with. */
export type ServerContext = Context & {
  toUser(view: ServerUserView): ServerUser;
  toTeam(view: ServerTeamView): ServerTeam;
  /** Registers a passkey in a browser, for a user without a session there. */
  registerPasskey(userId: string, options?: { hostname?: string }): Promise<void>;
};

export type ServerTeamUser = ServerUser & { teamProfile: TeamMemberProfile };
export type ServerTeamUpdateOptions = TeamUpdateOptions & { clientReadOnlyMetadata?: Json; serverMetadata?: Json };
export type ServerTeamCreateOptions = TeamCreateOptions & {
  creatorUserId?: string;
  clientMetadata?: Json;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
};
/** A team, with server access. */
export type ServerTeam = TeamFields &
  TeamMethods<ServerTeamUpdateOptions> &
  NotOffered<'grantProduct'> & {
    createdAt: Date;
    serverMetadata: Json;
    listUsers: Read<[], ServerTeamUser[]>;
    addUser(userId: string): Promise<void>;
    removeUser(userId: string): Promise<void>;
  };

/** One page of a list, or all of it. */
export type Paged<Item> = Item[] & { nextCursor: string | null };
export type PageView<Item> = { items: readonly Item[]; pagination?: { next_cursor: string | null } | undefined };

export type ListTeamsOptions = {
  orderBy?: 'createdAt';
  desc?: boolean;
  cursor?: string;
  limit?: number;
  /** An ID, or part of a name. */
  query?: string;
};

/** Best guesses from 0 to 100, as a server set them. */
export type RiskScores = { readonly signUp: { readonly bot: number; readonly freeTrialAbuse: number } };
export type ServerUserFields = User & {
  readonly primaryEmailAuthEnabled: boolean;
  readonly lastActiveAt: Date;
  readonly serverMetadata: Json;
  /** Signed out of everything, and unable to sign in. */
  readonly restrictedByAdmin: boolean;
  readonly restrictedByAdminReason: string | null;
  /** Never shown to the user. */
  readonly restrictedByAdminPrivateDetails: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string | null;
  readonly riskScores: RiskScores;
};

type WritableFields = {
  primaryEmail?: string | null;
  primaryEmailVerified?: boolean;
  primaryEmailAuthEnabled?: boolean;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
  password?: string | null;
  restrictedByAdmin?: boolean;
  restrictedByAdminReason?: string | null;
  restrictedByAdminPrivateDetails?: string | null;
  countryCode?: string | null;
  riskScores?: RiskScores;
};
export type ServerUserUpdateOptions = UserUpdateOptions & WritableFields;
export type ServerUserCreateOptions = Omit<UserUpdateOptions, 'selectedTeamId'> &
  WritableFields & {
    isAnonymous?: boolean;
    /** Only for imported users, like the next three fields. */
    id?: string;
    signedUpAt?: Date;
    /** bcrypt, Argon2id, scrypt or PBKDF2. */
    passwordHash?: string;
    oauthProviders?: readonly { id: string; accountId: string; email?: string | null }[];
  };

export type ScopedPermission = [scope: { id: string }, permissionId: string] | [permissionId: string];
/** A user, with server access. */
export type ServerUser = ServerUserFields &
  UserMethods<ServerTeam, ServerContactChannel, ServerContactChannelCreateOptions, ServerUserUpdateOptions> &
  NotOffered<'grantProduct'> & {
    setPrimaryEmail(email: string | null, options?: { verified?: boolean | undefined }): Promise<void>;
    setServerMetadata(metadata: Json): Promise<void>;
    setClientReadOnlyMetadata(metadata: Json): Promise<void>;
    /** Grants a permission of a team or of the project. */
    grantPermission(...permission: ScopedPermission): Promise<void>;
    revokePermission(...permission: ScopedPermission): Promise<void>;
    /** Lasts a year by default. An impersonation lasts an hour at most. */
    createSession(options?: {
      expiresInMillis?: number;
      isImpersonation?: boolean;
      impersonationReason?: string;
    }): Promise<ServerSession>;
    /** One page with a `limit`, otherwise all. */
    listTeams: Read<[options?: ListTeamsOptions], Paged<ServerTeam>>;
    /** Null unless the user is a member. */
    getTeam: Read<[id: string], ServerTeam | null>;
  };
export type ServerSession = { getTokens(): Promise<AuthJson> };

type DeliveryWindow = { sent: number; bounced: number; marked_as_spam: number };
export type EmailDeliveryInfo = {
  stats: Readonly<Record<'hour' | 'day' | 'week' | 'month', DeliveryWindow>>;
  capacity: {
    rate_per_second: number;
    boost_multiplier: number;
    penalty_factor: number;
    is_boost_active: boolean;
    boost_expires_at: string | null;
  };
};
