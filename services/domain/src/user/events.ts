import { z } from 'zod';
import { NotificationCategory } from '../email/categories.ts';
import { defineEvents, type EventOf } from '../event.ts';
import { ReservationKind } from '../reservation/events.ts';

const userId = z.uuid();
const channelId = z.uuid();
const at = z.iso.datetime();
const metadata = z.json().nullable();

/** How a user was created, or how a session was started. */
export const SignInMethod = z.enum(['password', 'otp', 'oauth', 'passkey', 'anonymous', 'server', 'setup', 'cli']);
export type SignInMethod = z.infer<typeof SignInMethod>;

/** How and from where somebody signs in or up; null where it is unknown. */
export const signInFields = {
  /** The OAuth provider, with method `oauth`. */
  provider: z.string().nullable().default(null),
  ip: z.string().nullable().default(null),
  userAgent: z.string().nullable().default(null),
  /** ISO 3166 alpha-2 */
  country: z.string().nullable().default(null),
  /** Name and version of the client library. */
  clientVersion: z.string().nullable().default(null),
};
export const unknownSignIn = { provider: null, ip: null, userAgent: null, country: null, clientVersion: null };
/** They locate a person. The version of a library does not. */
export const personalSignInFields = ['ip', 'userAgent', 'country'] as const;

const PasswordOrigin = z.enum(['sign_up', 'set', 'update', 'reset', 'server', 'rehash']);
const SessionsEndReason = z.enum([
  'password_update',
  'password_reset',
  'password_by_server',
  'password_removed',
  'upgrade',
  'address_proven',
  'activity_report',
  'restriction',
]);

/** How control of a mailbox was proven. */
export const AddressProof = z.enum(['verification', 'password_reset', 'sign_in_code', 'provider']);
export type AddressProof = z.infer<typeof AddressProof>;
/** What the first proof of an address removed, because somebody else may have set it up. */
export const RemovedCredential = z.enum([
  'password',
  'passkey',
  'totp',
  'provider_accounts',
  'addresses',
  'api_keys',
  'sessions',
]);
export type RemovedCredential = z.infer<typeof RemovedCredential>;

/** A WebAuthn credential: ID and COSE public key in base64url. */
export const Passkey = z.object({
  credentialId: z.string(),
  publicKey: z.string(),
  counter: z.number().int(),
  transports: z.array(z.string()),
  deviceType: z.enum(['singleDevice', 'multiDevice']),
});
export type Passkey = z.infer<typeof Passkey>;

const oauthAccount = {
  provider: z.string(),
  accountRef: z.string(),
  accountId: z.string().nullable(),
  email: z.string().nullable(),
};

/** Scores from 0 to 100, as a server set them. Gatebook does not score. */
export const RiskScores = z.object({ bot: z.number().int(), freeTrialAbuse: z.number().int() });
export type RiskScores = z.infer<typeof RiskScores>;

/** `reason` is shown to the user, `privateDetails` are not. */
const restriction = {
  version: 1 as const,
  data: z.object({ userId, reason: z.string().nullable(), privateDetails: z.string().nullable(), at }),
  personal: { subject: 'userId' as const, fields: ['reason' as const, 'privateDetails' as const] },
};

export const userEvents = defineEvents({
  UserCreated: {
    version: 2,
    data: z.object({
      userId,
      projectId: z.string(),
      displayName: z.string().nullable(),
      profileImageUrl: z.string().nullable(),
      clientMetadata: metadata,
      clientReadOnlyMetadata: metadata,
      serverMetadata: metadata,
      isAnonymous: z.boolean(),
      method: SignInMethod,
      ...signInFields,
      /** When an imported user signed up elsewhere. All others sign up at `at`. */
      signedUpAt: z.iso.datetime().optional(),
      at,
    }),
    personal: {
      subject: 'userId',
      fields: [
        'displayName',
        'profileImageUrl',
        'clientMetadata',
        'clientReadOnlyMetadata',
        'serverMetadata',
        ...personalSignInFields,
      ],
    },
    upcast: { 1: (data) => ({ ...unknownSignIn, ...data }) },
    large: ['profileImageUrl', 'clientMetadata', 'clientReadOnlyMetadata', 'serverMetadata'],
  },
  UserRenamed: {
    version: 1,
    data: z.object({ userId, displayName: z.string().nullable(), at }),
    personal: { subject: 'userId', fields: ['displayName'] },
  },
  UserImageChanged: {
    version: 1,
    data: z.object({ userId, profileImageUrl: z.string().nullable(), at }),
    personal: { subject: 'userId', fields: ['profileImageUrl'] },
    large: ['profileImageUrl'],
  },
  UserMetadataChanged: {
    version: 1,
    data: z.object({ userId, scope: z.enum(['client', 'client_read_only', 'server']), value: metadata, at }),
    personal: { subject: 'userId', fields: ['value'] },
    large: ['value'],
  },
  ContactChannelAdded: {
    version: 1,
    data: z.object({
      userId,
      channelId,
      channelType: z.literal('email'),
      value: z.string().nullable(),
      isPrimary: z.boolean(),
      isVerified: z.boolean(),
      usedForAuth: z.boolean(),
      at,
    }),
    personal: { subject: 'userId', fields: ['value'] },
  },
  ContactChannelValueChanged: {
    version: 1,
    data: z.object({ userId, channelId, value: z.string().nullable(), isVerified: z.boolean(), at }),
    personal: { subject: 'userId', fields: ['value'] },
  },
  ContactChannelVerificationChanged: {
    version: 1,
    data: z.object({
      userId,
      channelId,
      isVerified: z.boolean(),
      /**
       * Verified by the emailed link without a session of the user: the owner of the mailbox may not control the
       * account.
       */
      isByLinkAlone: z.boolean().default(false),
      at,
    }),
  },
  /**
   * The address is verified and its owner controls the account. The events that follow in the same append remove what
   * others may have set up; `removed` lists it.
   */
  ContactChannelProven: {
    version: 1,
    data: z.object({ userId, channelId, by: AddressProof, removed: z.array(RemovedCredential), at }),
  },
  ContactChannelAuthChanged: {
    version: 1,
    data: z.object({ userId, channelId, usedForAuth: z.boolean(), at }),
  },
  /** At most one channel is primary; null when the user has none. */
  PrimaryChannelChanged: {
    version: 1,
    data: z.object({ userId, channelId: channelId.nullable(), at }),
  },
  ContactChannelRemoved: {
    version: 1,
    data: z.object({ userId, channelId, at }),
  },
  UserPasswordSet: {
    version: 1,
    data: z.object({ userId, passwordHash: z.string().nullable(), origin: PasswordOrigin, at }),
    personal: { subject: 'userId', fields: ['passwordHash'] },
  },
  /** A reset email was requested. From now on, only its code resets the password. */
  PasswordResetRequested: { version: 1, data: z.object({ userId, codeId: z.string(), at }) },
  UserPasswordRemoved: { version: 1, data: z.object({ userId, at }) },
  /** Ends every session whose `userRevision` is below the revision of this event, except the kept one. */
  UserSessionsEnded: {
    version: 1,
    data: z.object({ userId, keptSessionId: z.uuid().nullable(), reason: SessionsEndReason, at }),
  },
  /** An anonymous user became a regular one, by signing up or through a server. */
  UserUpgraded: { version: 1, data: z.object({ userId, projectId: z.string(), method: SignInMethod, at }) },
  /** base64 of the raw secret. null turned the second factor off, or the user is erased: `isEnabled` tells which. */
  TotpSecretChanged: {
    version: 1,
    data: z.object({ userId, secret: z.string().nullable(), isEnabled: z.boolean(), at }),
    personal: { subject: 'userId', fields: ['secret'] },
  },
  /** The time step of an accepted code, which must not be accepted again (RFC 6238 §5.2). */
  TotpUsed: { version: 1, data: z.object({ userId, step: z.number().int(), at }) },
  /** A wrong code. Counts per user, over all attempts. */
  TotpRejected: { version: 1, data: z.object({ userId, at }) },
  /**
   * So many sign-ins of the user failed in so many minutes that sign-ins were rejected. At most one in that time
   * (docs/decisions/0049).
   */
  SignInsThrottled: {
    version: 1,
    data: z.object({ userId, failures: z.number().int(), minutes: z.number().int(), at }),
  },
  /** The user's only passkey. It replaces the previous one completely. */
  PasskeyRegistered: {
    version: 1,
    data: z.object({ userId, passkey: Passkey.nullable(), at }),
    personal: { subject: 'userId', fields: ['passkey'] },
  },
  /** `counter` is the authenticator's signature counter, 0 if it has none. */
  PasskeyUsed: { version: 1, data: z.object({ userId, counter: z.number().int(), at }) },
  PasskeyRemoved: { version: 1, data: z.object({ userId, at }) },
  /**
   * An account at a provider belongs to this user. `accountRef` is the keyed hash of provider and account ID and names
   * the reservation; `email` is the address that the provider returned. `id` is null in events recorded before accounts
   * had IDs: see `oauthAccountId`.
   */
  OAuthAccountLinked: {
    version: 1,
    data: z.object({
      userId,
      id: z.uuid().nullable().default(null),
      ...oauthAccount,
      allowSignIn: z.boolean().default(true),
      allowConnectedAccounts: z.boolean().default(true),
      at,
    }),
    personal: { subject: 'userId', fields: ['accountId', 'email'] },
  },
  /** The account as it is now. A different `accountRef` names another account at the same provider. */
  OAuthAccountChanged: {
    version: 1,
    data: z.object({
      userId,
      id: z.uuid(),
      ...oauthAccount,
      allowSignIn: z.boolean(),
      allowConnectedAccounts: z.boolean(),
      at,
    }),
    personal: { subject: 'userId', fields: ['accountId', 'email'] },
  },
  /** The account at the provider can no longer sign in as this user and is free to be linked again. */
  OAuthAccountUnlinked: {
    version: 1,
    data: z.object({ userId, provider: z.string(), accountRef: z.string(), at }),
  },
  /** Revokes every API key of the user whose `ownerRevision` is below the revision of this event. */
  UserApiKeysRevoked: { version: 1, data: z.object({ userId, at }) },
  /** An administrator or a server bars the user from signing in. */
  UserRestricted: restriction,
  /** The complete new texts. */
  UserRestrictionChanged: restriction,
  UserRestrictionLifted: { version: 1, data: z.object({ userId, at }) },
  UserCountryCodeChanged: {
    version: 1,
    data: z.object({ userId, countryCode: z.string().nullable(), at }),
    personal: { subject: 'userId', fields: ['countryCode'] },
  },
  UserRiskScoresChanged: {
    version: 1,
    data: z.object({ userId, riskScores: RiskScores.nullable(), at }),
    personal: { subject: 'userId', fields: ['riskScores'] },
  },
  OtpAuthChanged: { version: 1, data: z.object({ userId, isEnabled: z.boolean(), at }) },
  /** `permissionKey` is the key of a permission definition with project scope. */
  ProjectPermissionGranted: { version: 1, data: z.object({ userId, permissionKey: z.string(), at }) },
  ProjectPermissionRevoked: { version: 1, data: z.object({ userId, permissionKey: z.string(), at }) },
  /** null: no team is selected. A selected team counts only while the user is a member of it. */
  TeamSelected: { version: 1, data: z.object({ userId, teamId: z.uuid().nullable(), at }) },
  /** The user, a server, or the unsubscribe link of an email turned a category of emails off or on. */
  NotificationPreferenceChanged: {
    version: 1,
    data: z.object({ userId, projectId: z.string(), category: NotificationCategory, isEnabled: z.boolean(), at }),
  },
  /**
   * The user gets everything of another one, who is deleted. The events that follow in the same append say what
   * (docs/decisions/0127).
   */
  UserMerged: { version: 1, data: z.object({ userId, projectId: z.string(), mergedUserId: userId, at }) },
  /** All data about the user was exported. The metadata names the actor. */
  UserExported: { version: 1, data: z.object({ userId, at }) },
  /**
   * Somebody else is taking over a value that was reserved for this user and that the user does not use: the write that
   * would use it never came. If it comes now, it conflicts with this event (docs/decisions/0042). The stream may have
   * no other event.
   */
  ReservationExpired: { version: 1, data: z.object({ userId, kind: ReservationKind, at }) },
  /**
   * The user counts as deleted from now on, and is erased after `deleteAt` (docs/decisions/0050). Ends all sessions and
   * revokes all API keys, like `UserSessionsEnded` and `UserApiKeysRevoked`. `isByUser`: the user asked for it.
   */
  UserDeletionScheduled: {
    version: 1,
    data: z.object({ userId, projectId: z.string(), deleteAt: z.iso.datetime(), isByUser: z.boolean(), at }),
  },
  /** The user is back as before the deletion was scheduled, without sessions and API keys. */
  UserDeletionCanceled: { version: 1, data: z.object({ userId, projectId: z.string(), at }) },
  /**
   * `addressRefs`: keyed hashes of the addresses that are erased with the user; each gets an `AddressErased`.
   * `wasScheduled`: the user already counted as deleted.
   */
  UserDeleted: {
    version: 3,
    data: z.object({
      userId,
      projectId: z.string(),
      addressRefs: z.array(z.string()).default([]),
      wasScheduled: z.boolean(),
      /** The user into whom the deleted one was merged. */
      mergedIntoId: z.uuid().optional(),
      at,
    }),
    upcast: { 1: (data) => ({ ...data, wasScheduled: false }), 2: (data) => data },
  },
  /**
   * The keys of the deleted user and of their addresses were destroyed. Projections remove what was recorded about the
   * user while the deletion was in progress, such as a session or an email.
   */
  UserErased: { version: 1, data: z.object({ userId, projectId: z.string(), at }) },
});
export type UserEvent = EventOf<typeof userEvents>;
