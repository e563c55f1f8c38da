import { z } from 'zod';
import { defineEvents, type EventOf } from '../event.ts';

const userId = z.uuid();
const channelId = z.uuid();
const at = z.iso.datetime();
const metadata = z.json().nullable();

/** How a user came to be, or how a session was started. */
export const SignInMethod = z.enum(['password', 'otp', 'oauth', 'passkey', 'anonymous', 'server', 'setup', 'cli']);
export type SignInMethod = z.infer<typeof SignInMethod>;

export const PasswordOrigin = z.enum(['sign_up', 'set', 'update', 'reset', 'server', 'rehash']);
export const SessionsEndReason = z.enum([
  'password_update',
  'password_reset',
  'password_by_server',
  'password_removed',
  'upgrade',
  'address_proven',
  'activity_report',
]);

/** How somebody showed that a mailbox is theirs. */
export const AddressProof = z.enum(['verification', 'password_reset', 'sign_in_code', 'provider']);
export type AddressProof = z.infer<typeof AddressProof>;
/** What the first proof of an address ended, because somebody else may have set it up. */
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

/** A WebAuthn credential: id and COSE public key in base64url. */
export const Passkey = z.object({
  credentialId: z.string(),
  publicKey: z.string(),
  counter: z.number().int(),
  transports: z.array(z.string()),
  deviceType: z.enum(['singleDevice', 'multiDevice']),
});
export type Passkey = z.infer<typeof Passkey>;

export const userEvents = defineEvents({
  UserCreated: {
    version: 1,
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
      at,
    }),
    personal: {
      subject: 'userId',
      fields: ['displayName', 'profileImageUrl', 'clientMetadata', 'clientReadOnlyMetadata', 'serverMetadata'],
    },
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
  },
  UserMetadataChanged: {
    version: 1,
    data: z.object({ userId, scope: z.enum(['client', 'client_read_only', 'server']), value: metadata, at }),
    personal: { subject: 'userId', fields: ['value'] },
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
      /** By the link of a mail, without a session of the user: whoever has the mailbox may not be who holds the account. */
      isByLinkAlone: z.boolean().default(false),
      at,
    }),
  },
  /**
   * Whoever holds the account has this mailbox: it is verified. What others may have set up before is ended by the events that
   * follow in the same append; `removed` names it.
   */
  ContactChannelProven: {
    version: 1,
    data: z.object({ userId, channelId, by: AddressProof, removed: z.array(RemovedCredential), at }),
  },
  ContactChannelAuthChanged: {
    version: 1,
    data: z.object({ userId, channelId, usedForAuth: z.boolean(), at }),
  },
  /** At most one channel is primary; null when the user is left without one. */
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
  /** A reset mail is on its way. Its code is the only one that resets the password from now on. */
  PasswordResetRequested: { version: 1, data: z.object({ userId, codeId: z.string(), at }) },
  UserPasswordRemoved: { version: 1, data: z.object({ userId, at }) },
  /** Every session whose `userRevision` lies below this event's revision is over, except the kept one. */
  UserSessionsEnded: {
    version: 1,
    data: z.object({ userId, keptSessionId: z.uuid().nullable(), reason: SessionsEndReason, at }),
  },
  /** An anonymous user became a normal one, by signing up or by a server's word. */
  UserUpgraded: { version: 1, data: z.object({ userId, projectId: z.string(), method: SignInMethod, at }) },
  /** base64 of the raw secret; null switched the second factor off, or the user is erased: `isEnabled` tells which. */
  TotpSecretChanged: {
    version: 1,
    data: z.object({ userId, secret: z.string().nullable(), isEnabled: z.boolean(), at }),
    personal: { subject: 'userId', fields: ['secret'] },
  },
  /** A time step whose code was accepted, so that it is not accepted again (RFC 6238 §5.2). */
  TotpUsed: { version: 1, data: z.object({ userId, step: z.number().int(), at }) },
  /** A wrong code, counted for the user over all attempts. */
  TotpRejected: { version: 1, data: z.object({ userId, at }) },
  /** The user's one passkey; it replaces the one before in every field. */
  PasskeyRegistered: {
    version: 1,
    data: z.object({ userId, passkey: Passkey.nullable(), at }),
    personal: { subject: 'userId', fields: ['passkey'] },
  },
  /** `counter` is the authenticator's count of signatures, 0 where it keeps none. */
  PasskeyUsed: { version: 1, data: z.object({ userId, counter: z.number().int(), at }) },
  PasskeyRemoved: { version: 1, data: z.object({ userId, at }) },
  /**
   * An account at a provider signs in as this user. `accountRef` is the keyed hash of provider and account id, by which the account
   * is reserved; `email` is what the provider told.
   */
  OAuthAccountLinked: {
    version: 1,
    data: z.object({
      userId,
      provider: z.string(),
      accountRef: z.string(),
      accountId: z.string().nullable(),
      email: z.string().nullable(),
      at,
    }),
    personal: { subject: 'userId', fields: ['accountId', 'email'] },
  },
  /** The account at the provider no longer signs in as this user, and is free. */
  OAuthAccountUnlinked: {
    version: 1,
    data: z.object({ userId, provider: z.string(), accountRef: z.string(), at }),
  },
  /** Every API key of the user whose `ownerRevision` lies below this event's revision is revoked. */
  UserApiKeysRevoked: { version: 1, data: z.object({ userId, at }) },
  OtpAuthChanged: { version: 1, data: z.object({ userId, isEnabled: z.boolean(), at }) },
  /** `permission` is the key of a definition of project scope. */
  ProjectPermissionGranted: { version: 1, data: z.object({ userId, permission: z.string(), at }) },
  ProjectPermissionRevoked: { version: 1, data: z.object({ userId, permission: z.string(), at }) },
  /** null: none any more. What was selected counts only while the user is a member of it. */
  TeamSelected: { version: 1, data: z.object({ userId, teamId: z.uuid().nullable(), at }) },
  /** Somebody was given all that is kept about the user; who, the event's metadata says. */
  UserExported: { version: 1, data: z.object({ userId, at }) },
  /** `addressRefs`: keyed hashes of addresses that are erased with the user; each has its `AddressErased`. */
  UserDeleted: {
    version: 1,
    data: z.object({ userId, projectId: z.string(), addressRefs: z.array(z.string()).default([]), at }),
  },
  /**
   * The deleted user's key is destroyed, and those of the addresses. What others recorded about the user in the moment of the deletion (a session, a mail) goes from
   * the tables with this event.
   */
  UserErased: { version: 1, data: z.object({ userId, projectId: z.string(), at }) },
});
export type UserEvent = EventOf<typeof userEvents>;
