import type { DatabaseTemplate } from '@gatebook/runtime/testing/database';
import { migrateEventLog } from '../postgres/migrate.ts';

/** A database with an empty log. */
export const logTemplate: DatabaseTemplate = { name: 'log', prepare: ({ pool }) => migrateEventLog(pool) };
