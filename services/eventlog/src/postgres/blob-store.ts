import type { Pool } from '@gatebook/runtime/postgres';
import { type BlobId, type BlobStore, blobKey } from '../large-values/blob-store.ts';
import { createRepeatableQuery } from './repeatable-query.ts';

type Row = BlobId & { content: Buffer };

/** Large values in `log.blobs`. */
export function createPostgresBlobStore(pool: Pool): BlobStore {
  const query = createRepeatableQuery(pool);
  const idsOf = (ids: readonly BlobId[]) => [ids.map(({ owner }) => owner), ids.map(({ hash }) => hash)];
  return {
    put: async (blobs) => {
      const distinct = [...new Map(blobs.map((blob) => [blobKey(blob), blob])).values()];
      await query('blobs-put', 'select log.put_blobs($1, $2, $3, $4)', [
        ...idsOf(distinct),
        distinct.map(({ content }) => content),
        distinct.map(({ isEncrypted }) => isEncrypted),
      ]);
    },
    load: async (ids) => {
      const text = `select b.owner, b.hash, b.content
        from (select distinct * from unnest($1::text[], $2::text[]) as given (owner, hash)) wanted
        join log.blobs b using (owner, hash)`;
      const rows = await query<Row>('blobs-load', text, idsOf(ids));
      return new Map(rows.map((row) => [blobKey(row), row.content]));
    },
    markUsed: async (ids) => {
      await query('blobs-mark-used', 'select log.mark_blobs_used($1, $2)', idsOf(ids));
    },
    removeUnused: async (before, limit) => {
      const text = 'select log.remove_unused_blobs($1, $2) as removed';
      const [row] = await query<{ removed: string }>('blobs-remove-unused', text, [before, limit]);
      return Number(row?.removed ?? 0);
    },
  };
}
