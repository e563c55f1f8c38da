import type { Table } from '@gatebook/projections/changes';

export const eventsTables: readonly Table[] = [
  {
    /** One row per public event, without its data, which is derived from the log when the event is read. */
    name: 'public_events',
    columns: {
      key: { type: 'text' },
      project_id: { type: 'text' },
      /** Of the event of the log, and among the public events that it became. */
      position: { type: 'bigint' },
      index: { type: 'integer' },
      /** Its data is as of this position: the end of the write that created the object. */
      as_of: { type: 'bigint' },
      kind: { type: 'text' },
      event_id: { type: 'uuid' },
      user_id: { type: 'uuid', isNullable: true },
      team_id: { type: 'uuid', isNullable: true },
      at: { type: 'timestamptz' },
      actor_kind: { type: 'text' },
      actor_id: { type: 'text', isNullable: true },
      request_id: { type: 'text' },
      /** Key of the event that tells the same, if there is one. */
      implied_by: { type: 'text', isNullable: true },
    },
    key: ['key'],
    indexes: [
      // With the plain column, Postgres would also use it for filters, and look through all events for a rare one.
      { name: 'public_events_by_place', on: '(project_id, (position + 0), index)' },
      { name: 'public_events_by_kind', on: '(project_id, kind, position, index)' },
      { name: 'public_events_by_user', on: '(project_id, user_id, position, index)', where: 'user_id is not null' },
      { name: 'public_events_by_team', on: '(project_id, team_id, position, index)', where: 'team_id is not null' },
      { name: 'public_events_by_time', on: '(project_id, at, position)' },
      { name: 'public_events_by_id', on: '(project_id, event_id, index)' },
    ],
  },
  {
    /** Who was in which team from position `since` until position `until`. */
    name: 'memberships',
    columns: {
      team_id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      since: { type: 'bigint' },
      until: { type: 'bigint', isNullable: true },
      is_open: { type: 'boolean' },
    },
    key: ['team_id', 'user_id', 'since'],
    indexes: [
      { name: 'memberships_by_user', on: '(project_id, user_id, since)' },
      { name: 'memberships_open_of_user', on: '(user_id)', where: 'is_open', servesWrites: true },
    ],
  },
];
