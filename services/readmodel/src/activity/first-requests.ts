import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { defineQuery, type ReadDb } from '../read-db.ts';
import { createBatch } from './batch.ts';

export type FirstRequest = {
  projectId: string;
  /** ISO 8601. */
  at: string;
  accessType: string;
  /** null: of a client without a key. */
  keyId: string | null;
  /** The software that sent it; null if unknown. */
  client: string | null;
};

export type FirstRequests = {
  /** Records the request unless the project is known to have one. A process writes at most one row per project. */
  record(projectId: string, describe: () => Omit<FirstRequest, 'projectId'>): void;
  flush(): Promise<void>;
  /** Drops what is not written yet of a deleted project. */
  drop(projectId: string): void;
  close(): Promise<void>;
};

/** About 5 MB. A forgotten project costs one more statement, which changes nothing. */
const maxKnown = 100_000;

export function createFirstRequests(pool: Pool, logger: Logger): FirstRequests {
  const known = new Set<string>();
  const batch = createBatch<FirstRequest>(logger, {
    keyOf: ({ projectId }) => projectId,
    write: async (requests) => {
      try {
        await insert(pool, requests);
      } catch (error) {
        // A later request is recorded instead.
        for (const { projectId } of requests) known.delete(projectId);
        throw error;
      }
    },
  });
  return {
    record: (projectId, describe) => {
      if (known.has(projectId)) return;
      if (known.size >= maxKnown) known.clear();
      known.add(projectId);
      batch.add({ projectId, ...describe() });
    },
    flush: batch.flush,
    drop: (projectId) => batch.drop((request) => request.projectId === projectId),
    close: batch.close,
  };
}

async function insert(pool: Pool, requests: readonly FirstRequest[]): Promise<void> {
  await pool.query(
    `insert into activity.first_requests (project_id, at, access_type, key_id, client)
     select r."projectId", r.at, r."accessType", r."keyId", r.client
     from json_to_recordset($1::json) as r("projectId" text, at timestamptz, "accessType" text, "keyId" uuid, client text)
     order by 1
     on conflict do nothing`,
    [JSON.stringify(requests)],
  );
}

/** `at`: milliseconds since 1970. */
export type FirstRequestRow = Omit<FirstRequest, 'projectId' | 'at'> & { at: number };

const firstQuery = defineQuery({
  name: 'find-first-request',
  sql: () => `select (extract(epoch from r.at) * 1000)::float8 as at, r.access_type as "accessType",
      r.key_id as "keyId", r.client
    from activity.first_requests r where r.project_id = $1`,
});

export async function findFirstRequest(db: ReadDb, projectId: string): Promise<FirstRequestRow | null> {
  const [row] = await db.rows<FirstRequestRow>(firstQuery, [projectId]);
  return row ?? null;
}
