import { catalog } from '@gatebook/domain/catalog';
import { internalProjectId } from '@gatebook/domain/project/decide';
import type { Table } from '@gatebook/projections/changes';
import {
  defineProjectionGroup,
  type ProjectionGroup,
  type TrackedProjection,
} from '@gatebook/projections/projection-group';
import { apiKeysProjection } from './api-keys/projection.ts';
import { apiKeysTables } from './api-keys/tables.ts';
import { auditProjection, endOfProjectsProjection } from './audit/projection.ts';
import { auditTables, auditTimes } from './audit/tables.ts';
import { customMetricsProjection } from './custom-metrics/projection.ts';
import { customMetricsTables } from './custom-metrics/tables.ts';
import { emailsProjection } from './emails/projection.ts';
import { emailsTables } from './emails/tables.ts';
import { eventsOfDeletedProjects, eventsProjection, holdingsProjection } from './events/projection.ts';
import { eventsTables } from './events/tables.ts';
import { metricsProjection } from './metrics/projection.ts';
import { metricsTables } from './metrics/tables.ts';
import { erasuresOfPast, eventsOfPast, ofPast } from './past/projection.ts';
import { pastGroupTables, pastTables } from './past/tables.ts';
import { permissionsProjection } from './permissions/projection.ts';
import { permissionsTables } from './permissions/tables.ts';
import { projectionCode } from './projection-code.ts';
import { projectRevisionsProjection, projectsProjection } from './projects/projection.ts';
import { projectsTables } from './projects/tables.ts';
import { rowStreams } from './row-streams.ts';
import { sessionsProjection } from './sessions/projection.ts';
import { sessionsTables } from './sessions/tables.ts';
import { teamsProjection } from './teams/projection.ts';
import { teamsTables } from './teams/tables.ts';
import { canHide, createHiding } from './users/awaiting-deletion.ts';
import { usersProjection } from './users/projection.ts';
import { usersTables } from './users/tables.ts';
import { webhooksProjection } from './webhooks/projection.ts';
import { webhooksTables } from './webhooks/tables.ts';

/** It has a row for every event. */
const eventTable = { group: 'audit', table: 'audit_events' };

const mainTables = [
  ...projectsTables,
  ...permissionsTables,
  ...usersTables,
  ...sessionsTables,
  ...teamsTables,
  ...apiKeysTables,
  ...emailsTables,
  ...webhooksTables,
  ...customMetricsTables,
];

const track = (
  module: keyof typeof projectionCode,
  projection: TrackedProjection['projection'],
  tables: readonly Table[],
): TrackedProjection => ({ projection, tables, code: projectionCode[module] });

const hiding = (tables: readonly Table[]) =>
  track('users/awaiting-deletion', createHiding(tables), tables.filter(canHide));

/** The tables that the API reads and waits for. */
export const mainGroup = defineProjectionGroup({
  name: 'main',
  version: 24,
  catalog,
  removableBy: ['project_id', 'team_id'],
  tables: mainTables,
  projections: [
    // First, so that rows of a deleted user are moved before they are removed.
    hiding(mainTables),
    track('projects/projection', projectsProjection, projectsTables),
    track('projects/projection', projectRevisionsProjection, projectsTables),
    track('permissions/projection', permissionsProjection, permissionsTables),
    track('users/projection', usersProjection, usersTables),
    track('sessions/projection', sessionsProjection, sessionsTables),
    track('teams/projection', teamsProjection, [...teamsTables, ...usersTables.filter(({ name }) => name === 'users')]),
    track('api-keys/projection', apiKeysProjection, apiKeysTables),
    track('emails/projection', emailsProjection, emailsTables),
    track('webhooks/projection', webhooksProjection, webhooksTables),
    track('custom-metrics/projection', customMetricsProjection, customMetricsTables),
  ],
  rowStreams,
  eventTable,
  // Owners are users and teams of `internal`.
  shared: { projectId: internalProjectId, tables: ['project_members', 'project_owner_teams'] },
});

/** Metrics for owners, projected by the worker. They can lag. */
export const metricsGroup = defineProjectionGroup({
  name: 'metrics',
  version: 6,
  catalog,
  removableBy: ['project_id'],
  tables: metricsTables,
  projections: [hiding(metricsTables), track('metrics/projection', metricsProjection, metricsTables)],
  rowStreams,
  eventTable,
  delayMs: 250,
});

/** Every version of the rows that the API can show as of a moment of the past. Nobody waits for it. */
export const pastGroup = defineProjectionGroup({
  name: 'past',
  version: 6,
  catalog,
  removableBy: ['project_id'],
  tables: pastGroupTables,
  projections: [
    eventsOfPast,
    ofPast(createHiding([...pastTables.values()].map(({ table }) => table))),
    ...[
      projectsProjection,
      permissionsProjection,
      usersProjection,
      sessionsProjection,
      teamsProjection,
      apiKeysProjection,
      emailsProjection,
    ].map(ofPast),
    erasuresOfPast,
  ],
  delayMs: 500,
  shared: { projectId: internalProjectId, tables: ['project_members', 'project_owner_teams'] },
});

/** The audit log, projected by the worker. Requests for it wait until it contains what was written before them. */
export const auditGroup = defineProjectionGroup({
  name: 'audit',
  version: 4,
  catalog,
  removableBy: ['project_id'],
  tables: auditTables,
  projections: [auditProjection, endOfProjectsProjection],
  commitTimes: auditTimes.name,
  rowStreams,
  eventTable,
  isAnonymous: true,
  delayMs: 250,
});

/**
 * The public events of every project (docs/decisions/0095), projected by the worker. Readers see them only up to where
 * the main group is.
 */
export const eventsGroup = defineProjectionGroup({
  name: 'events',
  version: 6,
  catalog,
  removableBy: ['project_id'],
  tables: eventsTables,
  projections: [eventsProjection, holdingsProjection, eventsOfDeletedProjects],
  rowStreams,
  eventTable,
  isAnonymous: true,
  intervalMs: 20,
});

export const allGroups = [mainGroup, metricsGroup, auditGroup, eventsGroup] as const;
export type GroupName = 'main' | 'metrics' | 'audit' | 'events';

/** The groups of an installation. */
export const groupsOf = ({ history }: { history: { isKept: boolean } }): readonly ProjectionGroup[] =>
  history.isKept ? [...allGroups, pastGroup] : allGroups;
