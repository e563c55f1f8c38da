import { randomBytes, randomUUID } from 'node:crypto';
import { catalog } from '@gatebook/domain/catalog';
import type { NewMetadata } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import type { Bench } from './bench.ts';
import { compare, type Side } from './compare.ts';
import type { Load } from './load.ts';
import type { Result } from './report.ts';

const userIds = Array.from({ length: 1_000 }, () => randomUUID());
const logger = createLogger({ level: 'warn' });
const metadata: NewMetadata = {
  projectId: 'internal',
  actor: { kind: 'client', id: null },
  requestId: randomUUID(),
  correlationId: randomUUID(),
  causationId: null,
};

/**
 * Appends per second of the whole store (schema check, encryption, group commit) with one caller and with 32, against
 * single-row inserts of the same bytes into a plain table, which has an ID and unique revisions of streams, on as many
 * connections; both durable, in the empty database `url`.
 */
export async function benchAppend(url: string, { pace, costs }: Pick<Bench, 'pace' | 'costs'>): Promise<Result[]> {
  const logPool = createPool(url, { max: 4, name: 'bench log' });
  const plainPool = createPool(url, { max: 32, name: 'bench plain' });
  const listener = createListener(url, { name: 'bench listener', logger });
  try {
    await migrateEventLog(logPool);
    await plainPool.query(
      `create table plain (position bigserial primary key, stream text, revision bigint, id uuid, type text,
         version smallint, data json, encrypted text, metadata json, unique (stream, revision))`,
    );
    const keyring = await createKeyring({
      masterKey: randomBytes(32),
      keyStore: createPostgresKeyStore(logPool, listener),
    });
    const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(logPool), newEventId });
    const store = await createPostgresEventStore({ pool: logPool, listener, codec });
    const [sample] = await codec.encode([sessionStarted()], metadata);
    const row = sample?.events[0];
    const side = (work: () => Promise<unknown>): Side => ({
      // Postgres is a child of this process.
      ...{ pid: process.pid, postmaster: null },
      load: (callers, ms) => repeat(work, callers, ms),
    });
    const [appends, inserts] = [side(() => appendSession(store)), side(() => insertPlain(plainPool, row))];
    const measure = async (callers: number, ratio: number): Promise<Result> => {
      const { rate, cpu } = await compare(appends, inserts, callers, pace);
      return {
        name: `appends, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
        ...rate,
        referenceName: `single-row inserts, ${callers === 1 ? 'one connection' : `${callers} connections`}`,
        unit: '/s',
        // The aim is for the rate alone: an append checks, encrypts and indexes what an insert does not.
        cpu,
        aim: { rateRatio: ratio },
      };
    };
    const [many, one] = [await measure(32, 4), await measure(1, 0.9)];
    // An append of one takes a commit; with 32 callers, commits are shared.
    costs.figures.commitMs = 1000 / one.gatebook;
    costs.figures.eventMs = 1000 / many.gatebook;
    await store.close();
    await keyring.close();
    return [many, one];
  } finally {
    await listener.close();
    await Promise.all([logPool.end(), plainPool.end()]);
  }
}

async function repeat(work: () => Promise<unknown>, callers: number, ms: number): Promise<Load> {
  const times: number[] = [];
  const start = performance.now();
  const workInTurn = async () => {
    for (let begun = performance.now(); begun < start + ms; begun = performance.now()) {
      await work();
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: callers }, workInTurn));
  return { answers: times.length, ms: performance.now() - start, times };
}

/** The commonest event of a running installation: a session of a known user, with encrypted address and user agent. */
function sessionStarted() {
  const sessionId = randomUUID();
  const data = {
    sessionId,
    userId: userIds[Math.floor(Math.random() * userIds.length)] ?? '',
    projectId: 'internal',
    userRevision: 3,
    refreshTokenHash: randomBytes(32).toString('base64url'),
    expiresAt: '2027-01-15T12:00:00.000Z',
    isImpersonation: false,
    method: 'password',
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x64_86) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    at: '2026-01-15T12:00:00.000Z',
  };
  return { stream: `session-${sessionId}`, expected: NO_STREAM, events: [{ type: 'SessionStarted', data }] };
}

const appendSession = (store: EventStore) => store.append([sessionStarted()], metadata);

async function insertPlain(pool: Pool, row: object | undefined): Promise<void> {
  const { type, version, data, encrypted } = row as Record<string, unknown>;
  await pool.query({
    name: 'plain-insert',
    text: `insert into plain (stream, revision, id, type, version, data, encrypted, metadata)
           values ($1, 0, $2, $3, $4, $5, $6, $7)`,
    values: [
      `session-${randomUUID()}`,
      newEventId(),
      type,
      version,
      JSON.stringify(data),
      encrypted,
      JSON.stringify(metadata),
    ],
  });
}
