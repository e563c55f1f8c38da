import type { Listener } from '@gatebook/runtime/listener';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import type { InstallationKeyStore } from '../encryption/installation-key.ts';
import type { KeyStore, StoredKey } from '../encryption/key-store.ts';
import { subjectKeyAssociation } from '../encryption/keyring.ts';
import type { WrappedKeys } from '../encryption/rotate-master-key.ts';
import { type SigningKeyStore, type StoredSigningKey, signingKeyAssociation } from '../encryption/signing-keys.ts';

const erasedChannel = 'gatebook_subject_erased';
const projectErasedChannel = 'gatebook_project_erased';
const signingChannel = 'gatebook_signing_keys';
const installationChannel = 'gatebook_master_key';

type SubjectRow = StoredKey & { id: string };
const asMap = (rows: readonly SubjectRow[]) =>
  new Map(rows.map(({ id, wrapped, projectId }): [string, StoredKey] => [id, { wrapped, projectId }]));

/** Subject keys in `keys.subjects`. `listener` carries erasures between processes. */
export function createPostgresKeyStore(pool: Pool, listener: Listener): KeyStore {
  async function loadSubjects(subjectIds: readonly string[]) {
    const { rows } = await pool.query<SubjectRow>({
      name: 'keys-load',
      text: `select s.subject_id as id, s.project_id as "projectId", case when e.project_id is null then s.wrapped end as wrapped
             from keys.subjects s left join keys.erased_projects e on e.project_id = s.project_id
             where s.subject_id = any($1)`,
      values: [subjectIds],
    });
    return asMap(rows);
  }

  return {
    loadSubjects,
    addSubjects: async (wrapped, { projectId = null, addressRefs } = {}) => {
      const ids = [...wrapped.keys()];
      const { rows } = await pool.query<SubjectRow>({
        name: 'keys-add',
        text: `select subject_id as id, $4 as "projectId", wrapped from keys.add_subjects($1, $2, $3, $4)`,
        values: [ids, [...wrapped.values()], ids.map((id) => addressRefs?.get(id) ?? null), projectId],
      });
      const added = asMap(rows);
      const others = ids.filter((id) => !added.has(id));
      if (others.length === 0) return added;
      const known = await loadSubjects(others);
      // A subject without a row was not added, because its project was erased.
      const ofErasedProject: StoredKey = { wrapped: null, projectId };
      return new Map([...added, ...others.map((id): [string, StoredKey] => [id, known.get(id) ?? ofErasedProject])]);
    },
    eraseSubject: async (subjectId) => {
      await pool.query('select keys.erase_subject($1)', [subjectId]);
    },
    eraseAddress: async (addressRef, madeBefore) => {
      await pool.query('select keys.erase_address($1, $2)', [addressRef, madeBefore ?? null]);
    },
    eraseProject: async (projectId, limit) => {
      const { rows } = await pool.query<{ destroyed: number }>('select keys.erase_project($1, $2) as destroyed', [
        projectId,
        limit,
      ]);
      return rows[0]?.destroyed ?? 0;
    },
    onErased: async (onErasure, onGap) => {
      const stops = [
        await listener.listen(erasedChannel, (subjectId) => onErasure({ subjectId }), onGap),
        await listener.listen(projectErasedChannel, (projectId) => onErasure({ projectId }), onGap),
      ];
      return async () => {
        for (const stop of stops) await stop();
      };
    },
  };
}

type SigningRow = {
  kid: string;
  project_id: string;
  wrapped: string | null;
  public_jwk: StoredSigningKey['publicJwk'];
  created_at: Date;
  signs_from: Date;
};

/** Signing keys in `keys.signing`. `listener` carries changes between processes. */
export function createPostgresSigningKeyStore(pool: Pool, listener: Listener): SigningKeyStore {
  const insert = (client: Pick<PoolClient, 'query'>, key: StoredSigningKey, onlyAsFirst: boolean) =>
    client.query(
      `with added as (
         insert into keys.signing (kid, project_id, wrapped, public_jwk, created_at, signs_from)
         select $1, $2, $3, $4, $5, $6
         where not $7 or not exists (select from keys.signing where project_id = $2)
         returning project_id)
       select pg_notify('${signingChannel}', project_id) from added`,
      [key.kid, key.projectId, key.wrapped, key.publicJwk, key.createdAt, key.signsFrom, onlyAsFirst],
    );

  return {
    load: async (projectId) => {
      const { rows } = await pool.query<SigningRow>(
        'select kid, project_id, wrapped, public_jwk, created_at, signs_from from keys.signing where project_id = $1 order by number desc',
        [projectId],
      );
      return rows.map((row) => ({
        kid: row.kid,
        projectId: row.project_id,
        wrapped: row.wrapped,
        publicJwk: row.public_jwk,
        createdAt: row.created_at.toISOString(),
        signsFrom: row.signs_from.toISOString(),
      }));
    },
    add: async (key, { onlyAsFirst }) => {
      const { rowCount } = await inTransaction(pool, async (client) => {
        // Two processes that both find no key agree on one: the second sees the first's key once it has the lock.
        await client.query('select pg_advisory_xact_lock(hashtext($1))', [`signing key of ${key.projectId}`]);
        return insert(client, key, onlyAsFirst);
      });
      return rowCount === 1;
    },
    projectOf: async (kid) => {
      const { rows } = await pool.query<{ id: string }>('select project_id as id from keys.signing where kid = $1', [
        kid,
      ]);
      return rows[0]?.id ?? null;
    },
    withdraw: (kid, replacement) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          `with withdrawn as (
             update keys.signing set wrapped = null, withdrawn_at = now() where kid = $1 and wrapped is not null
             returning project_id)
           select pg_notify('${signingChannel}', project_id) from withdrawn`,
          [kid],
        );
        if (rowCount === 1 && replacement) await insert(client, replacement, false);
        return rowCount === 1;
      }),
    onChanged: (onChange, onGap) => listener.listen(signingChannel, onChange, onGap),
  };
}

/** The installation key in `keys.installation`. `listener` carries changes between processes. */
export function createPostgresInstallationKeyStore(pool: Pool, listener: Listener): InstallationKeyStore {
  const load = async () =>
    (await pool.query<{ wrapped: string }>('select wrapped from keys.installation')).rows[0]?.wrapped ?? null;
  return {
    load,
    add: async (wrapped) => {
      await pool.query('insert into keys.installation (wrapped) values ($1) on conflict do nothing', [wrapped]);
      return (await load()) ?? wrapped;
    },
    replace: async (before, after) => {
      const { rowCount } = await pool.query(
        `with replaced as (update keys.installation set wrapped = $2 where wrapped = $1 returning wrapped)
         select pg_notify('${installationChannel}', '') from replaced`,
        [before, after],
      );
      return rowCount === 1;
    },
    onChanged: (onChange) => listener.listen(installationChannel, onChange, onChange),
  };
}

type WrappedRow = { id: string; wrapped: string; project_id?: string };

/** Every table with keys wrapped by a master key, except the installation key. */
export function postgresWrappedKeys(pool: Pool): readonly WrappedKeys[] {
  const tableOf = (
    name: string,
    key: string,
    columns: string,
    associated: (row: WrappedRow) => string,
  ): WrappedKeys => ({
    name,
    listWrappedByOthers: async (masterKeyId, after, limit) => {
      const { rows } = await pool.query<WrappedRow>(
        `select ${key} as id, wrapped${columns} from keys.${name}
         where ${key} > $2 and not starts_with(wrapped, $1) order by ${key} limit $3`,
        [`${masterKeyId}.`, after, limit],
      );
      return rows.map((row) => ({ id: row.id, wrapped: row.wrapped, associated: associated(row) }));
    },
    replaceWrapped: async (keys) => {
      await pool.query(
        `update keys.${name} k set wrapped = given.after
         from unnest($1::text[], $2::text[], $3::text[]) as given (id, before, after)
         where k.${key} = given.id and k.wrapped = given.before`,
        [keys.map(({ id }) => id), keys.map(({ before }) => before), keys.map(({ after }) => after)],
      );
    },
  });
  return [
    tableOf('subjects', 'subject_id', '', ({ id }) => subjectKeyAssociation(id)),
    tableOf('signing', 'kid', ', project_id', ({ id, project_id = '' }) => signingKeyAssociation(project_id, id)),
  ];
}

export type SigningKeyRow = {
  kid: string;
  projectId: string;
  createdAt: Date;
  signsFrom: Date;
  withdrawnAt: Date | null;
};

/** Signing keys of one project or of all, newest first. */
export async function listSigningKeys(pool: Pool, projectId: string | null): Promise<SigningKeyRow[]> {
  const { rows } = await pool.query<SigningKeyRow>(
    `select kid, project_id as "projectId", created_at as "createdAt", signs_from as "signsFrom",
       withdrawn_at as "withdrawnAt"
     from keys.signing where $1::text is null or project_id = $1 order by project_id, number desc`,
    [projectId],
  );
  return rows;
}
