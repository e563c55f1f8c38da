import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { ConcurrencyError } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { createRebuilds } from '@gatebook/projections/operations/create-rebuilds';
import { findProjectionVersion } from '@gatebook/projections/operations/rebuilds';
import { migrateProjections } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { createReadModels } from '@gatebook/projections/wait';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { type Account, type AccountEvent, bank, events, evolve } from './account.ts';

/** How long a read waits for a write. */
const waitMs = 30_000;

/** The account in the log, and the table that it is projected to. One process is enough; more may run at once. */
export async function openBank(databaseUrl: string) {
  const logger = createLogger({ level: 'warn' });
  const pool = createPool(databaseUrl, { name: 'bank' });
  const listener = createListener(databaseUrl, { name: 'bank listener', logger });
  await Promise.all([migrateEventLog(pool), migrateProjections(pool)]);

  // Keep the master key outside the database: without it, nobody can read the owners' names.
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore: createPostgresKeyStore(pool, listener) });
  const codec = createCodec({ catalog: events, keyring, blobs: createPostgresBlobStore(pool), newEventId });
  const store = await createPostgresEventStore({ pool, listener, codec });

  const stopping = new AbortController();
  const projector = runProjector({ store, pool, group: bank, logger }, stopping.signal);
  const readModels = await createReadModels({ pool, listener, groups: [bank], logger });
  await readModels.ready();

  /** Loads the account, decides and appends. Another writer may be faster: then it decides again on the new state. */
  async function execute(id: string, decide: (account: Account) => readonly AccountEvent[]): Promise<bigint> {
    const stream = `account-${id}`;
    const actor = { kind: 'system', id: null } as const;
    const metadata = { projectId: 'bank', actor, requestId: newEventId(), correlationId: id, causationId: null };
    for (;;) {
      const { events: past, revision } = await store.readStream<AccountEvent>(stream);
      const decided = decide(past.reduce<Account>(evolve, null));
      try {
        return (await store.append([{ stream, expected: revision, events: decided }], metadata)).position;
      } catch (error) {
        if (!(error instanceof ConcurrencyError)) throw error;
      }
    }
  }

  /** Reads the table. With the position of a write, the row shows that write. */
  async function readAccount(id: string, position: bigint | null = null) {
    if ((await readModels.reached(position, waitMs)) === 'behind') throw new Error('The table is behind the log.');
    const { rows } = await pool.query<{ owner: string | null; balance: number }>(
      `select owner, balance from ${readModels.schema('bank')}.accounts where id = $1`,
      [id],
    );
    return rows[0] ?? null;
  }

  /** Builds the table again from the whole log, beside the live one, and promotes it. */
  async function rebuild(): Promise<void> {
    const rebuilds = createRebuilds({ pool, store, groups: [bank] });
    const { schema } = await rebuilds.ask('bank');
    while (!(await findProjectionVersion(pool, schema)).isReady) await pause(50);
    await rebuilds.promoteStandby(schema);
    while (readModels.schema('bank') !== schema) await pause(10);
  }

  async function close(): Promise<void> {
    stopping.abort();
    await projector;
    await readModels.close();
    await store.close();
    await keyring.close();
    await listener.close();
    await pool.end();
  }

  return {
    execute,
    readAccount,
    rebuild,
    eraseOwner: keyring.erase,
    pool,
    schema: () => readModels.schema('bank'),
    close,
  };
}
