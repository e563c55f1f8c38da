import type { Actor, Metadata } from '@gatebook/domain/event';
import type { LookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Clock } from '@gatebook/runtime/clock';
import type { OAuthProviders } from './oauth/oauth-providers.ts';
import type { PasswordHasher } from './password/password-hashing.ts';
import type { Webauthn } from './sign-in/webauthn.ts';

/** What commands need of the world. Pure data and functions, made by a `main.ts` or a test. */
export type WriteDeps = {
  store: EventStore;
  now: Clock;
  newId: () => string;
  /** 45 characters of base32: codes and refresh tokens. */
  randomCode: () => string;
  sha256: (text: string) => string;
  lookupHash: LookupHash;
  hasher: PasswordHasher;
  /** The time step (Unix time / 30 s, RFC 6238) that a typed code fits at an ISO time; null when it fits none. */
  verifyTotp: (secretBase64: string, code: string, at: string) => number | null;
  webauthn: Webauthn;
  oauthProviders: OAuthProviders;
  /** Destroys the key under which a subject's facts are encrypted. */
  eraseSubject: (subjectId: string) => Promise<void>;
  /** Destroys the keys of codes and mails to an address, by its keyed hash; with `madeBefore` (ISO time) only those that are older. */
  eraseAddress: (addressRef: string, madeBefore?: string) => Promise<void>;
};

/** On whose behalf a command runs. `projectId` is the project whose state it changes. */
export type Context = {
  projectId: string;
  actor: Actor;
  requestId: string;
  ip: string | null;
  userAgent: string | null;
  /** The session of a signed-in user: a write to that user is rejected once it has ended. */
  session?: { userId: string; sessionId: string; userRevision: number } | null;
  /** Names a write that is decided once, however often it is repeated; most have none. */
  once?: string | null;
};

/** What a command says about its events, and `once` of the context, which is no part of them. */
export type CommandMetadata = Metadata & { once: string | null };

export function metadataOf({ projectId, actor, requestId, once = null }: Context, at: string): CommandMetadata {
  return { projectId, actor, requestId, correlationId: requestId, causationId: null, at, once };
}

/** A result together with the log position that holds it; null when nothing changed. */
export type CommandResult<T = unknown> = T & { position: bigint | null };
