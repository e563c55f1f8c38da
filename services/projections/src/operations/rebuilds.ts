import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ProjectionGroup } from '../projection-group.ts';
import { canRead } from '../projection-tables.ts';
import {
  announcedMs,
  createProjectionVersion,
  listProjectionVersions,
  type ProjectionVersion,
} from '../projection-versions.ts';
import { announcePromotion, dropProjectionVersion, promoteProjectionVersion } from '../promotion.ts';

export type RejectedBecause =
  | 'unknown'
  | 'nothing-live'
  | 'other-version'
  | 'not-ready'
  | 'stopped'
  | 'behind'
  | 'in-use';

/** The operation is impossible now; `message` contains the reason and what to do. */
export class OperationRejectedError extends Error {
  readonly because: RejectedBecause;

  constructor(because: RejectedBecause, message: string) {
    super(message);
    this.name = 'OperationRejectedError';
    this.because = because;
  }
}

/** How long a promotion waits until its projection version is level with the live one. */
const levelTimeoutMs = 20_000;
const levelPauseMs = 20;

/**
 * Asks for a new projection version of a group. The projectors build it and keep it at the head as a standby, which can
 * be compared and promoted. One at a time: `isNew` is false if there already is a standby. @throws
 * OperationRejectedError
 */
export async function askForRebuild(
  pool: Pool,
  group: ProjectionGroup,
): Promise<{ projectionVersion: ProjectionVersion; isNew: boolean }> {
  const all = await listProjectionVersions(pool, group.name);
  const live = all.find(({ status }) => status === 'live');
  if (!live)
    throw new OperationRejectedError(
      'nothing-live',
      `The first projection version of ${group.name} is still being built.`,
    );
  requireThisVersion(live, group, 'rebuild');
  const standby = all.find(({ isStandby }) => isStandby);
  if (standby) return { projectionVersion: standby, isNew: false };
  try {
    return {
      projectionVersion: await createProjectionVersion(
        pool,
        { ...group, shards: live.shards.length },
        { isStandby: true },
      ),
      isNew: true,
    };
  } catch (error) {
    const other = (await listProjectionVersions(pool, group.name)).find(({ isStandby }) => isStandby);
    if (!other) throw error;
    return { projectionVersion: other, isNew: false };
  }
}

/** A projector only follows projection versions of its own version. */
function requireThisVersion({ schema, version }: ProjectionVersion, group: ProjectionGroup, action: string): void {
  if (version === group.version) return;
  throw new OperationRejectedError(
    'other-version',
    `${schema} has version ${version}, but this program has version ${group.version}. Only its own version can ${action} it.`,
  );
}

/** Finds a projection version by its schema. @throws OperationRejectedError */
export async function findProjectionVersion(pool: Pool, schema: string): Promise<ProjectionVersion> {
  const found = (await listProjectionVersions(pool, null)).find(
    (projectionVersion) => projectionVersion.schema === schema,
  );
  if (!found) throw new OperationRejectedError('unknown', `Projection version ${schema} does not exist.`);
  return found;
}

/** Finds the standby of a group. @throws OperationRejectedError */
export async function findStandby(pool: Pool, groupName: string): Promise<ProjectionVersion> {
  const standby = (await listProjectionVersions(pool, groupName)).find(({ isStandby }) => isStandby);
  if (!standby)
    throw new OperationRejectedError('unknown', `Projection group ${groupName} has no standby. Start a rebuild first.`);
  return standby;
}

/**
 * Makes a projection version the live one once it is level with it. The former live version stays at the head for a
 * rollback. @throws OperationRejectedError
 */
export async function promoteStandby(
  pool: Pool,
  group: ProjectionGroup,
  id: number,
  timeoutMs = levelTimeoutMs,
): Promise<void> {
  const first = await findPromotable(pool, group, id);
  if (first.status === 'live') return;
  await announcePromotion(pool, first);
  await pause(announcedMs);
  const end = performance.now() + timeoutMs;
  while (!(await promoteProjectionVersion(pool, id))) {
    const { schema, position } = await findPromotable(pool, group, id);
    if (performance.now() > end) {
      throw new OperationRejectedError(
        'behind',
        `${schema} does not catch up with the live projection version; it is at position ${position}. Check that its projector is running.`,
      );
    }
    await pause(levelPauseMs);
  }
}

async function findPromotable(pool: Pool, group: ProjectionGroup, id: number): Promise<ProjectionVersion> {
  const projectionVersion = (await listProjectionVersions(pool, group.name)).find((candidate) => candidate.id === id);
  if (!projectionVersion)
    throw new OperationRejectedError('unknown', `Projection group ${group.name} has no such projection version.`);
  const { schema, tables, stopped, isReady, position } = projectionVersion;
  requireThisVersion(projectionVersion, group, 'promote');
  if (!canRead(group.tables, tables)) {
    throw new OperationRejectedError('other-version', `${schema} has tables that this program cannot read.`);
  }
  if (stopped) throw new OperationRejectedError('stopped', `${schema} has stopped: ${stopped.error}`);
  if (!isReady)
    throw new OperationRejectedError('not-ready', `${schema} is still being built; it is at position ${position}.`);
  return projectionVersion;
}

/** Promotes the previous projection version. @returns its schema @throws OperationRejectedError */
export async function rollBack(pool: Pool, group: ProjectionGroup): Promise<string> {
  const previous = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'previous');
  if (!previous)
    throw new OperationRejectedError('unknown', `Projection group ${group.name} has no previous projection version.`);
  await promoteStandby(pool, group, previous.id);
  return previous.schema;
}

/** Drops a standby or the previous projection version. @throws OperationRejectedError */
export async function discard(pool: Pool, { id, schema, status, isStandby }: ProjectionVersion): Promise<void> {
  if (status === 'live') throw new OperationRejectedError('in-use', `${schema} is live.`);
  if (status === 'building' && !isStandby) {
    throw new OperationRejectedError(
      'in-use',
      `${schema} is being built because this version of the program needs it.`,
    );
  }
  await dropProjectionVersion(pool, id);
}
