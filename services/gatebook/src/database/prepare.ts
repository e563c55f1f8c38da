import { createHmac } from 'node:crypto';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { eventLogPrivileges } from '@gatebook/eventlog/postgres/privileges';
import { migratePeers } from '@gatebook/projections/peers/peers';
import { handOverProjectionVersions, projectionPrivileges } from '@gatebook/projections/privileges';
import { migrateProjections } from '@gatebook/projections/projection-versions';
import { migrateActivity } from '@gatebook/readmodel/activity/activity';
import { readModelPrivileges } from '@gatebook/readmodel/privileges';
import { migrateIdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { migrateWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import {
  applyPrivileges,
  createRoles,
  type DatabaseRole,
  type DatabaseUrls,
  databaseRoles,
  giveLogins,
  handOver,
  privilegesChecksum,
  type RoleNames,
  roleNames,
  rolesWithLogin,
  urlAs,
  urlsAs,
} from '@gatebook/runtime/database-roles';
import { createPool, escapeIdentifier, inTransaction, type Pool } from '@gatebook/runtime/postgres';
import { migrateEmailLimits } from '@gatebook/worker/jobs/email-limits';
import { workerPrivileges } from '@gatebook/worker/privileges';
import { migrateBackups, rejectUnfinishedRestore } from '../backup/database.ts';
import { backupPrivileges } from '../backup/privileges.ts';
import { StartError } from '../embedded/data-folder.ts';

const allPrivileges = [
  ...eventLogPrivileges,
  ...projectionPrivileges,
  ...readModelPrivileges,
  ...workerPrivileges,
  ...backupPrivileges,
];

/** The row of `log.migrations` with the checksum of the granted privileges. */
const privilegesRow = 'privileges';

type Options = {
  /** null: no roles, all processes use the account of the URL. */
  rolePrefix?: string | null;
  /** Whether queues are in the database. */
  hasJobs?: boolean;
  /** Whether an unfinished restore is expected, because the caller continues it. */
  isRestoring?: boolean;
};

/**
 * Updates schemas, roles and privileges of a database. The account needs the privileges to do so, unless everything is
 * up to date.
 * @returns the connection string of each role @throws StartError
 */
export async function prepareDatabase(
  databaseUrl: string,
  { rolePrefix = 'gatebook', hasJobs = true, isRestoring = false }: Options = {},
): Promise<DatabaseUrls> {
  const pool = createPool(databaseUrl, { max: 4, name: 'gatebook migrate', isForLongWork: true });
  const names = rolePrefix === null ? null : roleNames(rolePrefix);
  try {
    await migrateAll(pool, hasJobs);
    if (!isRestoring) await rejectUnfinishedRestore(pool);
    if (names === null) return { api: databaseUrl, projector: databaseUrl, worker: databaseUrl };
    if (!(await hasPrivileges(pool, names, hasJobs))) await givePrivileges(pool, names, hasJobs);
    return urlsAs(databaseUrl, names);
  } catch (error) {
    throw isForbidden(error) ? await explainForbidden(pool, names, error) : error;
  } finally {
    await pool.end();
  }
}

/**
 * Lets each role log in, so that no connection of a running process can become the owner's. The passwords are derived
 * from the owner's, which never leaves this machine. @returns the connection string of each role
 */
export async function useLogins(ownerUrl: string, rolePrefix: string): Promise<DatabaseUrls> {
  const names = roleNames(rolePrefix);
  const owner = new URL(ownerUrl);
  const passwordOf = (role: DatabaseRole) =>
    createHmac('sha256', owner.password).update(`database password of ${names[role]}`).digest('base64url');
  const pool = createPool(ownerUrl, { max: 1, name: 'gatebook migrate', isForLongWork: true });
  try {
    const known = await rolesWithLogin(pool, names);
    const missing = databaseRoles.filter((role) => !known.includes(role));
    await giveLogins(pool, names, Object.fromEntries(missing.map((role) => [role, passwordOf(role)])));
  } finally {
    await pool.end();
  }
  const urlOf = (role: DatabaseRole) => {
    const url = new URL(owner);
    url.username = names[role];
    url.password = passwordOf(role);
    return urlAs(url.href, names[role]);
  };
  return { api: urlOf('api'), projector: urlOf('projector'), worker: urlOf('worker') };
}

async function migrateAll(pool: Pool, hasJobs: boolean): Promise<void> {
  await Promise.all([
    migrateEventLog(pool),
    migrateProjections(pool),
    migrateActivity(pool),
    migrateIdempotencyRecords(pool),
    migrateWebhooks(pool),
    migratePeers(pool),
    migrateEmailLimits(pool),
    migrateBackups(pool),
  ]);
  if (!hasJobs) return;
  // Imported here because BullMQ loads slowly and only the worker needs it.
  const { migrateJobQueue } = await import('@gatebook/worker/queue/job-queue');
  await migrateJobQueue(pool);
}

/** Whether the roles exist and have the privileges of this version. */
export async function hasPrivileges(pool: Pool, names: RoleNames, hasJobs: boolean): Promise<boolean> {
  const { rows } = await pool.query<{ isCurrent: boolean }>(
    `select exists (select from log.migrations where file = $1 and checksum = $2)
       and not exists (select from pg_namespace where nspname = 'jobs' and $3 and pg_get_userbyid(nspowner) <> $4) as "isCurrent"`,
    [privilegesRow, privilegesChecksum(names, allPrivileges), hasJobs, names.worker],
  );
  return rows[0]?.isCurrent ?? false;
}

async function givePrivileges(pool: Pool, names: RoleNames, hasJobs: boolean): Promise<void> {
  await createRoles(pool, names);
  await applyPrivileges(pool, names, allPrivileges);
  await handOverProjectionVersions(pool, names);
  if (hasJobs) await pool.query(handOver('jobs', names.worker));
  await inTransaction(pool, async (tx) => {
    await tx.query('delete from log.migrations where file = $1', [privilegesRow]);
    await tx.query('insert into log.migrations (file, checksum) values ($1, $2)', [
      privilegesRow,
      privilegesChecksum(names, allPrivileges),
    ]);
  });
}

/** SQLSTATE: insufficient privilege, or a missing role. */
const isForbidden = (error: unknown) =>
  error instanceof Error && 'code' in error && ['42501', '22023'].includes(String(error.code));

async function explainForbidden(pool: Pool, names: RoleNames | null, cause: unknown): Promise<StartError> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const { rows } = await pool.query<{ account: string; isRole: boolean; canCreateRoles: boolean }>(
    `select current_user as account, current_user = any($1) as "isRole", rolcreaterole or rolsuper as "canCreateRoles"
     from pg_roles where rolname = current_user`,
    [names === null ? [] : Object.values(names)],
  );
  const [fact] = rows;
  if (fact?.isRole) {
    return new StartError(
      `The database is not up to date, and the account ${fact.account} has no privileges to update it (${reason}): run ` +
        '"gatebook migrate" with the GATEBOOK_DATABASE_URL of its owner.',
      { cause },
    );
  }
  const missing = fact?.canCreateRoles
    ? 'own the database and its schemas'
    : `own the database and create the roles ${Object.values(names ?? {})
        .map((name) => escapeIdentifier(name))
        .join(', ')}`;
  return new StartError(
    `The account of GATEBOOK_DATABASE_URL (${fact?.account}) must ${missing}: ${reason}. See docs/operations.md. ` +
      'With GATEBOOK_DATABASE_ROLES=off there are no roles, and every process has all privileges of the account.',
    { cause },
  );
}
