import type { Listener } from '@gatebook/runtime/listener';
import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import type { KeyStore } from '../sealing/key-store.ts';
import type { SigningKeyStore, StoredSigningKey } from '../sealing/signing-keys.ts';

const erasedChannel = 'gatebook_subject_erased';

type SubjectRow = { subject_id: string; wrapped: string | null };
const asMap = (rows: readonly SubjectRow[]) => new Map(rows.map(({ subject_id, wrapped }) => [subject_id, wrapped]));

/** Subject keys in `keys.subjects`; `listener` carries erasures between processes. */
export function createPostgresKeyStore(pool: Pool, listener: Listener): KeyStore {
  async function loadSubjects(subjectIds: readonly string[]) {
    const { rows } = await pool.query<SubjectRow>({
      name: 'keys-load',
      text: 'select subject_id, wrapped from keys.subjects where subject_id = any($1)',
      values: [subjectIds],
    });
    return asMap(rows);
  }

  return {
    loadSubjects,
    addSubjects: async (wrapped, addressRefs) => {
      const ids = [...wrapped.keys()];
      const { rows } = await pool.query<SubjectRow>({
        name: 'keys-add',
        text: `insert into keys.subjects (subject_id, wrapped, address_ref)
               select * from unnest($1::text[], $2::text[], $3::text[])
               on conflict (subject_id) do nothing returning subject_id, wrapped`,
        values: [ids, [...wrapped.values()], ids.map((id) => addressRefs?.get(id) ?? null)],
      });
      const added = asMap(rows);
      const others = ids.filter((id) => !added.has(id));
      return others.length === 0 ? added : new Map([...added, ...(await loadSubjects(others))]);
    },
    eraseSubject: async (subjectId) => {
      await pool.query('select keys.erase_subject($1)', [subjectId]);
    },
    eraseAddress: async (addressRef, madeBefore) => {
      await pool.query('select keys.erase_address($1, $2)', [addressRef, madeBefore ?? null]);
    },
    onErased: (onErasure, onGap) => listener.listen(erasedChannel, onErasure, onGap),
  };
}

type SigningRow = {
  kid: string;
  project_id: string;
  wrapped: string;
  public_jwk: StoredSigningKey['publicJwk'];
  created_at: Date;
};

/** Signing keys in `keys.signing`. */
export function createPostgresSigningKeyStore(pool: Pool): SigningKeyStore {
  return {
    load: async (projectId) => {
      const { rows } = await pool.query<SigningRow>(
        'select kid, project_id, wrapped, public_jwk, created_at from keys.signing where project_id = $1 order by number desc',
        [projectId],
      );
      return rows.map((row) => ({
        kid: row.kid,
        projectId: row.project_id,
        wrapped: row.wrapped,
        publicJwk: row.public_jwk,
        createdAt: row.created_at.toISOString(),
      }));
    },
    add: async ({ kid, projectId, wrapped, publicJwk, createdAt }, { onlyAsFirst }) => {
      const { rowCount } = await inTransaction(pool, async (client) => {
        // Two processes that both find no key agree on one: the second sees the first's key once it has the lock.
        await client.query('select pg_advisory_xact_lock(hashtext($1))', [`signing key of ${projectId}`]);
        return client.query(
          `insert into keys.signing (kid, project_id, wrapped, public_jwk, created_at)
           select $1, $2, $3, $4, $5
           where not $6 or not exists (select from keys.signing where project_id = $2)`,
          [kid, projectId, wrapped, publicJwk, createdAt, onlyAsFirst],
        );
      });
      return rowCount === 1;
    },
  };
}
