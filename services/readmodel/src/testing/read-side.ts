import { catalog } from '@gatebook/domain/catalog';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { type ProjectedLog, startProjectedLog } from '@gatebook/projections/testing/projected-log';
import { createTestLog, type TestLog, type TestLogPlace } from '@gatebook/projections/testing/test-log';
import { migrateActivity } from '../activity/activity.ts';
import { readModelPrivileges } from '../privileges.ts';
import { allGroups } from '../projection-groups.ts';
import { createReadDb, type ReadDb } from '../read-db.ts';
import { migrateIdempotencyRecords } from '../requests/idempotency-records.ts';
import { migrateWebhooks } from '../webhooks/delivery-tables.ts';

export type ReadSide = ProjectedLog & { db: ReadDb };

/** An empty log of Gatebook's events. */
export const createGatebookLog = (place?: TestLogPlace): Promise<TestLog> => createTestLog(catalog, place);

/** Projects an empty log of Gatebook's events into its own database. */
export async function startReadSide(
  groups: readonly ProjectionGroup[] = allGroups,
  place?: TestLogPlace,
): Promise<ReadSide> {
  const projected = await startProjectedLog({
    openLog: () => createGatebookLog(place),
    groups,
    migrate: async (pool) => {
      await Promise.all([migrateActivity(pool), migrateIdempotencyRecords(pool), migrateWebhooks(pool)]);
    },
    privileges: readModelPrivileges,
    template: 'read_side',
  });
  return { ...projected, db: createReadDb(projected.pools.api, projected.readModels) };
}
