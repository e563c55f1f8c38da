import { inTransaction, type Pool } from '@gatebook/runtime/postgres';
import type { Checkpoint } from '../checkpoint.ts';
import { quarantineChannel } from '../quarantine/quarantine.ts';

/**
 * Makes a reactor process all events after `checkpoint` again, also while it runs. Its quarantined projects are met
 * again on the way. @returns false if there is no such reactor
 */
export async function resetReactor(pool: Pool, name: string, { position, eventId }: Checkpoint): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    // The revision keeps a running process from saving its own checkpoint over this one.
    const { rowCount } = await tx.query(
      `update readmodel.subscriptions
       set position = $2, event_id = $3, stopped_error = null, stopped_position = null,
         quarantine_revision = quarantine_revision + 1, updated_at = now()
       where name = $1`,
      [name, position, eventId],
    );
    await tx.query('delete from readmodel.quarantines where subscriber = $1', [name]);
    await tx.query('select pg_notify($1, $2)', [quarantineChannel, name]);
    return rowCount === 1;
  });
}
