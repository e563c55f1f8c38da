import type { Column, Index, Table } from '@gatebook/projections/changes';

/** Pages are read in the order of time within equal values of these columns. */
const sorted = (name: string, column: string, options: Partial<Index> = {}): Index => ({
  name,
  on: `(project_id, ${column}, at, position)`,
  ...options,
});
/** Few rows have a value. */
const sparse = (name: string, column: string): Index => sorted(name, column, { where: `${column} is not null` });
const nullable = (type: Column['type']): Column => ({ type, isNullable: true });

/** The commit time of the last event of each project. */
export const auditTimes: Table = {
  name: 'audit_times',
  columns: { project_id: { type: 'text' }, at: { type: 'timestamptz' } },
  key: ['project_id'],
};

export const auditTables: readonly Table[] = [
  auditTimes,
  {
    /** One row per event, without personal data: what the event says is read from the log. */
    name: 'audit_events',
    columns: {
      position: { type: 'bigint' },
      event_id: { type: 'uuid' },
      project_id: { type: 'text' },
      type: { type: 'text' },
      is_technical: { type: 'boolean' },
      /** When the log committed the event: within a project, it never falls as positions rise. */
      at: { type: 'timestamptz' },
      actor_kind: { type: 'text' },
      actor_id: nullable('text'),
      /** Who acted for the actor, who is a user. */
      impersonator_id: nullable('text'),
      request_id: { type: 'text' },
      causation_id: nullable('text'),
      /** A request that undoes the one with the event `causation_id`. */
      is_undo: { type: 'boolean' },
      user_id: nullable('uuid'),
      team_id: nullable('uuid'),
      /** Another thing that the event concerns. */
      object_type: nullable('text'),
      object_id: nullable('text'),
    },
    key: ['position'],
    indexes: [
      { name: 'audit_events_by_id', on: '(project_id, event_id)' },
      sorted('audit_events_by_time', 'is_technical'),
      sorted('audit_events_by_type', 'type'),
      sorted('audit_events_by_actor_kind', 'actor_kind'),
      sorted('audit_events_by_request', 'request_id'),
      sparse('audit_events_by_actor', 'actor_id'),
      sparse('audit_events_by_impersonator', 'impersonator_id'),
      sparse('audit_events_by_cause', 'causation_id'),
      sparse('audit_events_by_user', 'user_id'),
      sparse('audit_events_by_team', 'team_id'),
      sparse('audit_events_by_object', 'object_id'),
    ],
  },
];
