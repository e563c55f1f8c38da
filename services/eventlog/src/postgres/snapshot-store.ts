import type { Pool } from '@gatebook/runtime/postgres';
import type { Snapshot, SnapshotStore } from '../states/snapshots.ts';

type Row = Omit<Snapshot, 'revision'> & { revision: string };

/** Snapshots in `log.snapshots`. */
export function createPostgresSnapshotStore(pool: Pool): SnapshotStore {
  return {
    load: async (stream, version) => {
      const { rows } = await pool.query<Row>({
        name: 'snapshots-load',
        text: `select stream, revision, version, event_id as "eventId", subject as "subjectId", content
               from log.snapshots where stream = $1 and version = $2`,
        values: [stream, version],
      });
      return rows[0] ? { ...rows[0], revision: BigInt(rows[0].revision) } : null;
    },
    save: async ({ stream, revision, version, eventId, subjectId, content }) => {
      await pool.query({
        name: 'snapshots-put',
        text: 'select log.put_snapshot($1, $2, $3, $4, $5, $6)',
        values: [stream, revision, version, eventId, subjectId, content],
      });
    },
    delete: async (stream, eventId) => {
      await pool.query('select log.delete_snapshot($1, $2)', [stream, eventId]);
    },
  };
}
