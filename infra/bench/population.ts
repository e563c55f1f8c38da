import type { LookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import type { EventStore, Write } from '@gatebook/eventlog/port';
import { newId } from '@gatebook/runtime/ids';
import type { Pool } from '@gatebook/runtime/postgres';
import { writePopulation } from '../seed/write-population.ts';

/** Users in the order of sign-up, the same in both servers. */
export type People = { ids: string[]; emails: string[] };
type Row = { id: string; display_name: string; primary_email: string; is_verified: boolean; at: number };

const rowsAtOnce = 10_000;

/**
 * Writes the same users through the log of Gatebook and into the table of the bare server. `seedRate`: events per
 * second of writing to the log.
 */
export async function populate(
  { store, lookupHash, bare }: { store: EventStore; lookupHash: LookupHash; bare: Pool },
  { projectId, users, passwordHash }: { projectId: string; users: number; passwordHash: string },
): Promise<{ people: People; seedRate: number }> {
  const rows: Row[] = [];
  let events = 0;
  const copied = {
    append: (...[writes, metadata]: Parameters<EventStore['append']>) => {
      for (const write of writes) if (write.stream.startsWith('user-')) rows.push(toRow(write));
      events += writes.reduce((sum, write) => sum + write.events.length, 0);
      return store.append(writes, metadata);
    },
  };
  const setting = { projectId, until: new Date().toISOString(), days: 90, users, passwordHash, lookupHash, newId };
  const start = performance.now();
  await writePopulation(copied, setting, { teams: Math.floor(users / 20), seed: 1, onProgress: () => undefined });
  const seedRate = (events * 1000) / (performance.now() - start);
  for (let n = 0; n < rows.length; n += rowsAtOnce) await insertRows(bare, rows.slice(n, n + rowsAtOnce), passwordHash);
  const people = { ids: rows.map(({ id }) => id), emails: rows.map(({ primary_email: email }) => email) };
  return { people, seedRate };
}

function toRow({ events }: Write): Row {
  const facts = Object.assign({}, ...events.map(({ data }) => data)) as Record<string, unknown>;
  return {
    id: String(facts.userId),
    display_name: String(facts.displayName),
    primary_email: String(facts.value),
    is_verified: facts.isVerified === true,
    at: Date.parse(String(facts.at)),
  };
}

async function insertRows(bare: Pool, rows: readonly Row[], passwordHash: string): Promise<void> {
  await bare.query({
    name: 'insert-rows',
    text: `insert into users (id, display_name, primary_email, primary_email_verified, primary_email_auth_enabled,
        signed_up_at_millis, last_active_at_millis, has_password, password_hash, auth_with_email)
      select id, display_name, primary_email, is_verified, true, at, at, true, $2, true
      from jsonb_to_recordset($1) as r(id uuid, display_name text, primary_email text, is_verified boolean, at float8)`,
    values: [JSON.stringify(rows), passwordHash],
  });
}
