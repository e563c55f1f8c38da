import { catalogue } from '@gatebook/domain/catalogue';
import type { Recorded } from '@gatebook/domain/event';
import type { Unneeded } from '@gatebook/eventlog/port';
import { apiKeysProjection } from './api-keys/projection.ts';
import { apiKeysTables } from './api-keys/tables.ts';
import type { Change, Table } from './changes.ts';
import { emailsProjection } from './emails/projection.ts';
import { emailsTables } from './emails/tables.ts';
import { historyProjection } from './history/projection.ts';
import { historyTables } from './history/tables.ts';
import { metricsProjection } from './metrics/projection.ts';
import { metricsTables } from './metrics/tables.ts';
import { permissionsProjection } from './permissions/projection.ts';
import { permissionsTables } from './permissions/tables.ts';
import { projectsProjection } from './projects/projection.ts';
import { projectsTables } from './projects/tables.ts';
import { sessionsProjection } from './sessions/projection.ts';
import { sessionsTables } from './sessions/tables.ts';
import { teamsProjection } from './teams/projection.ts';
import { teamsTables } from './teams/tables.ts';
import { usersProjection } from './users/projection.ts';
import { usersTables } from './users/tables.ts';

/** Tables that share one checkpoint. Raise `version` when a table or a projection changes: the next projection version is built. */
export type ProjectionGroup = {
  name: string;
  version: number;
  tables: readonly Table[];
  /** Pure: what an event changes, in order. */
  changesFor: (event: Recorded) => readonly Change[];
  /** Events that change nothing here, of types that the catalogue knows; and what is personal, if no row depends on it. */
  unneeded: Unneeded;
};

type AnyProjection = Readonly<Record<string, ((event: never) => readonly Change[]) | undefined>>;

export function defineProjectionGroup(
  set: Omit<ProjectionGroup, 'changesFor' | 'unneeded'> & {
    projections: readonly AnyProjection[];
    /** No row depends on what is personal. */
    isAnonymous?: boolean;
  },
): ProjectionGroup {
  const { projections, isAnonymous = false, ...rest } = set;
  const byType = new Map<string, ((event: Recorded) => readonly Change[])[]>();
  for (const projection of projections) {
    for (const [type, apply] of Object.entries(projection)) {
      // The catalogue ties each type to its data; the codec has checked it.
      if (apply) byType.set(type, [...(byType.get(type) ?? []), apply as (event: Recorded) => readonly Change[]]);
    }
  }
  return {
    ...rest,
    changesFor: (event) => (byType.get(event.type) ?? []).flatMap((apply) => apply(event)),
    unneeded: {
      types: new Set(Object.keys(catalogue).filter((type) => !byType.has(type))),
      personal: isAnonymous,
    },
  };
}

/** What the API reads and waits for. */
export const mainGroup = defineProjectionGroup({
  name: 'main',
  version: 7,
  tables: [
    ...projectsTables,
    ...permissionsTables,
    ...usersTables,
    ...sessionsTables,
    ...teamsTables,
    ...apiKeysTables,
    ...historyTables,
    ...emailsTables,
  ],
  projections: [
    projectsProjection,
    permissionsProjection,
    usersProjection,
    sessionsProjection,
    teamsProjection,
    apiKeysProjection,
    historyProjection,
    emailsProjection,
  ],
});

/** Owners' figures, followed by the worker; they may lag. */
export const metricsGroup = defineProjectionGroup({
  name: 'metrics',
  version: 2,
  tables: metricsTables,
  projections: [metricsProjection],
  isAnonymous: true,
});
