import type { DatabaseTemplate } from '@gatebook/runtime/testing/database';
import { migrateProjections } from '../projection-versions.ts';

/** A database of the projection engine without projection versions. */
export const projectionsTemplate: DatabaseTemplate = {
  name: 'projections',
  prepare: ({ pool }) => migrateProjections(pool),
};
