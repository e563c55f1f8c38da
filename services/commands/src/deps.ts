import type { Language } from '@gatebook/domain/email/languages';
import type { Actor, Origin } from '@gatebook/domain/event';
import type { LookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Clock } from '@gatebook/runtime/clock';
import type { Trace } from '@gatebook/runtime/instruments';
import type { OAuthProviders } from './oauth/oauth-providers.ts';
import type { FormerSystem } from './password/former-system.ts';
import type { PasswordHasher } from './password/password-hashing.ts';
import type { Webauthn } from './sign-in/webauthn.ts';

/** What commands depend on. Plain functions and data, built by a `main.ts` or a test. */
export type WriteDeps = {
  store: EventStore;
  /** Absent: commands are not traced. */
  trace?: Trace;
  now: Clock;
  newId: () => string;
  /** 45 characters of base32, for codes and refresh tokens. */
  randomCode: () => string;
  sha256: (text: string) => string;
  lookupHash: LookupHash;
  hasher: PasswordHasher;
  /** @returns the time step (Unix time / 30 s, RFC 6238) that the code is valid for at `at` (ISO time), or null */
  verifyTotp: (secretBase64: string, code: string, at: string) => number | null;
  webauthn: Webauthn;
  /** Absent: passwords of unknown users are not checked elsewhere. */
  formerSystem?: FormerSystem;
  oauthProviders: OAuthProviders;
  /** Destroys the key that encrypts a subject's personal data. */
  eraseSubject: (subjectId: string) => Promise<void>;
  /**
   * Destroys the keys of codes and emails sent to an address, given its keyed hash; with `createdBefore` (ISO time)
   * only those created before that time.
   */
  eraseAddress: (addressRef: string, createdBefore?: string) => Promise<void>;
  /** Makes all keys of a project unreadable and destroys at most `limit` of them. @returns how many */
  eraseProject: (projectId: string, limit: number) => Promise<number>;
};

/** What every unit of work needs, whatever its command. */
export type UnitOfWorkDeps = Pick<WriteDeps, 'store' | 'trace' | 'now' | 'newId' | 'sha256' | 'lookupHash'>;

/** The device, location and software of an end user. */
export type EndUser = Origin & {
  /** ISO 3166 alpha-2 */
  country: string | null;
  /** Name and version of the client library, such as `js @gatebook/js@1.0.0`. */
  clientVersion: string | null;
};

/** On whose behalf a command runs. `projectId` is the project whose state it changes. */
export type Context = {
  projectId: string;
  actor: Actor;
  requestId: string;
  /** The person at the other end of the request, for sign-ins; absent where Gatebook acts by itself. */
  endUser?: EndUser;
  /** Where the request came from; absent where Gatebook acts by itself. */
  origin?: Origin;
  /**
   * The network whose wrong passwords are counted (IPv6: 64 bits); absent or null for a server that does not say where
   * its visitor is.
   */
  network?: string | null;
  /** The language of the person at the other end of the request, for emails to them; absent or null: unknown. */
  language?: Language | null;
  /** The session of the user or owner who acts. */
  sessionId?: string | null;
  /** The session of a signed-in user. A write to that user is rejected once the session has ended. */
  session?: { userId: string; sessionId: string; userRevision: number } | null;
  /** How long a session lasts that starts here; absent: the default of a project. */
  sessionLifetimeHours?: number;
  /** Keyed hash of the idempotency key: a write that carries one is decided once. Most have none. */
  idempotencyHash?: string | null;
  /** The event that a reactor or a job responds to; null for a part of larger work, which has one correlation ID. */
  cause?: { eventId: string | null; correlationId: string };
};

/** A result and the position of the last event of its write; null when nothing changed. */
export type CommandResult<T = unknown> = T & { position: bigint | null };
