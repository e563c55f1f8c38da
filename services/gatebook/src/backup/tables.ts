/** A table that backups contain. */
export type BackupTable = {
  name: string;
  /** Only these rows: an SQL condition. */
  where?: string;
  /** The rows that a database has before it is first used. A restore replaces them. */
  hasFirstRows?: boolean;
  /** Position of the event that a row is about: SQL. Rows of events after the head of the backup are left out. */
  position?: string;
  /** How far something has read the log. Read before its head and kept in memory, so these are few rows. */
  isProgress?: boolean;
};

/** In EventStoreDB, these are not in the database. */
export const eventsTable: BackupTable = { name: 'log.events', position: 'position' };

/**
 * What is not derived from the log, in the order of the file. Rows are copied as they are, with their ciphertext. Keys
 * come after the events that are encrypted with them, so none is missing.
 */
export const copiedTables: readonly BackupTable[] = [
  // No reactor and no endpoint is ahead of the events in the backup.
  { name: 'readmodel.subscriptions', isProgress: true },
  { name: 'webhooks.endpoints', isProgress: true },
  { name: 'webhooks.replays', isProgress: true },
  // A batch continues where it was, and changes some users again.
  { name: 'activity.user_batches' },
  { name: 'activity.user_batch_users' },
  // Those of projection versions are found again by a rebuild.
  { name: 'readmodel.quarantines', where: 'subscriber in (select name from readmodel.subscriptions)' },
  // Before the deliveries, which count them: an attempt that is not counted would collide with the next one.
  {
    name: 'webhooks.attempts',
    position: '(select d.position from webhooks.deliveries d where d.id = delivery_id)',
  },
  { name: 'webhooks.deliveries', position: 'position' },
  eventsTable,
  // After the events that refer to them.
  { name: 'log.blobs' },
  { name: 'log.epochs', hasFirstRows: true },
  { name: 'keys.subjects' },
  { name: 'keys.erased_projects' },
  { name: 'keys.project_search' },
  { name: 'keys.signing' },
  { name: 'keys.installation' },
  { name: 'activity.sessions' },
  { name: 'activity.users' },
  { name: 'activity.days' },
  { name: 'activity.active_users' },
  { name: 'activity.counts' },
  { name: 'activity.api_keys' },
  { name: 'activity.first_requests' },
  { name: 'activity.rejections' },
  { name: 'activity.rejected_requests' },
  { name: 'requests.answers' },
  { name: 'worker.email_counts' },
  { name: 'worker.code_keys' },
];

/** Why backups do not contain the other tables. `*`: all tables of a schema. */
export const otherTables: Readonly<Record<string, string>> = {
  'log.streams': 'derived from the events',
  'log.snapshots': 'derived from the events',
  'log.archive': 'a restore begins without archived streams',
  'activity.throttled_accounts': 'only of the last minutes',
  'activity.metric_progress': 'counted again from the events',
  'activity.metric_counts': 'counted again from the events',
  'activity.metric_users': 'counted again from the events',
  'activity.rejection_expiry': 'about the worker of this database',
  'readmodel.projection_versions': 'read models are rebuilt',
  'readmodel.projection_shards': 'read models are rebuilt',
  'readmodel.checksums': 'read models are rebuilt',
  'readmodel.tombstones': 'read models are rebuilt',
  'readmodel.consistency_checks': 'about read models that are rebuilt',
  'readmodel.orphaned_schemas': 'about read models that are rebuilt',
  'readmodel.operations': 'requests to a running projector',
  'peers.apis': 'leases of running processes',
  'worker.queue_reports': 'about queues of running workers',
  'backups.made': 'about this database',
  'backups.restore': 'about this database',
  'jobs.*': 'the worker queues pending emails again',
};
