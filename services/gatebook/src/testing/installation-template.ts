import { createLiveVersions } from '@gatebook/projections/testing/projected-log';
import { groupsOf } from '@gatebook/readmodel/projection-groups';
import { createPool } from '@gatebook/runtime/postgres';
import type { DatabaseTemplate } from '@gatebook/runtime/testing/database';
import { prepareDatabase } from '../database/prepare.ts';

/** An installation with an empty log and live read models, without queues. */
export const installationTemplate: DatabaseTemplate = {
  name: 'installation',
  prepare: async ({ pool, url }) => {
    const { projector } = await prepareDatabase(url, { hasJobs: false });
    const projectorPool = createPool(projector, { max: 2, name: 'template' });
    await createLiveVersions(projectorPool, groupsOf({ history: { isKept: true } }));
    await projectorPool.end();
    // A copy has no privileges on the database itself, so its start has to grant them.
    await pool.query(`delete from log.migrations where file = 'privileges'`);
  },
};
