import { catalog, type GatebookEvent } from '@gatebook/domain/catalog';
import { DomainError, type DomainErrorCode } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import type { Passkey } from '@gatebook/domain/user/events';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring, type Keyring } from '@gatebook/eventlog/encryption/keyring';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore } from '@gatebook/eventlog/memory/store';
import { ConcurrencyError, type EventStore, type Write } from '@gatebook/eventlog/port';
import { sha256 } from '@gatebook/runtime/hash';
import { newEventId, newId, randomCode } from '@gatebook/runtime/ids';
import { createFixedClock } from '@gatebook/runtime/testing/fixed';
import { expect } from 'vitest';
import type { Context, WriteDeps } from '../deps.ts';
import type { PasswordHasher } from '../password/password-hashing.ts';
import type { PasskeyFault, Webauthn } from '../sign-in/webauthn.ts';
import { createPlainProviders } from './oauth.ts';

export const testMasterKey = Buffer.alloc(32, 7);

/**
 * A hasher without cost. `verified` lists what was compared: null for the dummy hash. Hashes with another prefix count
 * as outdated.
 */
function createPlainHasher(): PasswordHasher & { hashed: string[]; verified: (string | null)[] } {
  const [hashed, verified]: [string[], (string | null)[]] = [[], []];
  return {
    hashed,
    verified,
    hash: async (password) => {
      hashed.push(password);
      return `plain:${password}`;
    },
    verify: async (stored, password) => {
      verified.push(stored);
      return stored !== null && stored.slice(stored.indexOf(':') + 1) === password;
    },
    needsRehash: (stored) => !stored.startsWith('plain:'),
  };
}

/** A WebAuthn adapter that trusts the response: `{ fault }`, a passkey, or `{ credentialId, counter }`. */
const plainWebauthn: Webauthn = {
  verifyRegistration: async ({ credential }) => {
    const given = credential as PasskeyFault | Passkey;
    return 'outcome' in given ? given : { outcome: 'verified', passkey: given };
  },
  verifyAuthentication: async ({ response }) => {
    const given = response as PasskeyFault | { counter: number };
    return 'outcome' in given ? given : { outcome: 'verified', counter: given.counter };
  },
  credentialIdOf: (response) => (response as { credentialId?: string }).credentialId ?? null,
};

export type World = Awaited<ReturnType<typeof createWorld>>;
type Log = { store: EventStore; keyring: Pick<Keyring, 'erase' | 'eraseAddress' | 'eraseProject'> };

/** All dependencies of commands, by default over a log in memory. The clock is fixed. */
export async function createWorld(log?: Log) {
  const { store, keyring } = log ?? (await createMemoryLog());
  const [clock, hasher] = [createFixedClock(), createPlainHasher()];
  const plainProviders = createPlainProviders(clock);
  const deps: WriteDeps = {
    store,
    now: clock,
    newId,
    randomCode,
    sha256,
    lookupHash: createLookupHash(testMasterKey),
    hasher,
    // Six digits are the time step itself, and a credential is what a browser would have sent.
    verifyTotp: (_secret, code) => (/^\d{6}$/.test(code) ? Number(code) : null),
    webauthn: plainWebauthn,
    oauthProviders: plainProviders.providers,
    eraseSubject: keyring.erase,
    eraseAddress: keyring.eraseAddress,
    eraseProject: keyring.eraseProject,
  };
  return {
    deps,
    clock,
    hasher,
    plainProviders,
    /** Types of the events after a position, in order. */
    typesAfter: async (position: bigint) => (await store.readAll(position, 10_000)).map(({ type }) => type),
    /** All events of one type, oldest first. */
    eventsOf: async <T extends GatebookEvent['type']>(type: T) =>
      (await store.readAll(0n, 10_000)).filter(
        (event): event is Recorded<Extract<GatebookEvent, { type: T }>> => event.type === type,
      ),
  };
}

async function createMemoryLog(): Promise<Log> {
  const keyring = await createKeyring({ masterKey: testMasterKey, keyStore: createMemoryKeyStore() });
  return {
    store: createMemoryEventStore(createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId })),
    keyring,
  };
}

/** A context on behalf of a server of the project. */
export const contextOf = (projectId: string): Context => ({
  projectId,
  actor: { kind: 'server', id: null },
  requestId: 'request',
  endUser: { ip: '203.0.113.7', userAgent: 'test', country: 'CH', clientVersion: null },
});

/** A process that crashes in its next append: only the first `kept` writes reach the log. */
export function crashAfter(kept: number, deps: WriteDeps): WriteDeps {
  const append: EventStore['append'] = async (writes, metadata) => {
    if (kept > 0) await deps.store.append(writes.slice(0, kept), metadata);
    throw new Error('the process died');
  };
  return { ...deps, store: { ...deps.store, append } };
}

type Chosen = (write: Write) => boolean;
/** Matches writes to streams whose names start with `prefix`. */
export const to =
  (start: string): Chosen =>
  ({ stream }) =>
    stream.startsWith(start);

/** A process that crashes in an append, right before the chosen write. */
export function crashBefore(isChosen: Chosen, deps: WriteDeps): WriteDeps {
  const append: EventStore['append'] = async (writes, metadata) => {
    const cut = writes.findIndex(isChosen);
    if (cut < 0) return deps.store.append(writes, metadata);
    if (cut > 0) await deps.store.append(writes.slice(0, cut), metadata);
    throw new Error('the process died');
  };
  return { ...deps, store: { ...deps.store, append } };
}

/**
 * A log that writes the streams of an append one after the other, as EventStoreDB does. `between` runs once, right
 * before the chosen write, as a concurrent writer.
 */
export function interruptBefore(isChosen: Chosen, deps: WriteDeps, between: () => Promise<unknown>): WriteDeps {
  const { store } = deps;
  let isDone = false;
  const append: EventStore['append'] = async (writes, metadata) => {
    for (const { stream, expected } of writes) {
      if ((await store.readStream(stream)).revision !== expected) throw new ConcurrencyError(stream);
    }
    let position = 0n;
    for (const [index, write] of writes.entries()) {
      if (!isDone && isChosen(write)) {
        isDone = true;
        await between();
      }
      try {
        ({ position } = await store.append([write], metadata));
      } catch (error) {
        if (!(error instanceof ConcurrencyError)) throw error;
        throw new ConcurrencyError(
          error.stream,
          writes.slice(0, index).map(({ stream }) => stream),
        );
      }
    }
    return { position };
  };
  return { ...deps, store: { ...store, append } };
}

export async function expectRejection(
  outcome: Promise<unknown>,
  code: DomainErrorCode,
  details: Record<string, unknown> = {},
): Promise<void> {
  const error = await outcome.then(
    () => expect.fail(`expected the rejection ${code}, but the command was accepted`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw error;
  expect({ code: error.code, details: error.details }).toEqual({ code, details });
}
