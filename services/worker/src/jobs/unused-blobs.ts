import type { BlobStore } from '@gatebook/eventlog/large-values/blob-store';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import type { Pool } from '@gatebook/runtime/postgres';

const name = 'blobs';
const blobsPerStep = 100;
/** An append comes long before that after its blobs. */
const graceMs = 24 * 60 * 60 * 1000;

export type BlobKeeper = {
  reactor: Reactor;
  /** Deletes blobs whose append failed. Needs one call to look around before it deletes. */
  removeUnused(now: string, signal: AbortSignal): Promise<void>;
};

/** Marks the blobs that events refer to, and deletes those that no event has referred to for a day. */
export function createBlobKeeper({
  pool,
  store,
  blobs,
}: {
  pool: Pool;
  store: Pick<EventStore, 'head'>;
  blobs: Pick<BlobStore, 'markUsed' | 'removeUnused'>;
}): BlobKeeper {
  let seen: { head: bigint; before: string } | undefined;

  /** Whether the blobs of every event up to `head` are marked. The events of a quarantined project wait. */
  async function isMarkedUpTo(head: bigint): Promise<boolean> {
    const { rowCount } = await pool.query(
      `select from readmodel.subscriptions where name = $1 and position >= $2
         and not exists (select from readmodel.quarantines where subscriber = $1)`,
      [name, head],
    );
    return rowCount === 1;
  }

  return {
    reactor: {
      name,
      unneeded: { onlyWithBlobs: true },
      react: async ({ blobs: used }) => {
        if (used) await blobs.markUsed(used);
      },
    },
    removeUnused: async (now, signal) => {
      if (seen && (await isMarkedUpTo(seen.head))) {
        while (!signal.aborted && (await blobs.removeUnused(seen.before, blobsPerStep)) === blobsPerStep);
      }
      seen = { head: await store.head(), before: new Date(Date.parse(now) - graceMs).toISOString() };
    },
  };
}
