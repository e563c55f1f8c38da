import { kindsWithKeyOwner, kindsWithMemberships } from '@gatebook/domain/public-events/types';
import type { Table } from '@gatebook/projections/changes';

/** What users have from one position until another. */
export type HoldingKind = 'membership' | 'team_permission' | 'project_permission' | 'selected_team';

const namesKeyOwner = `kind in (${kindsWithKeyOwner.map((kind) => `'${kind}'`).join(', ')})`;

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
      /** Whose owner is the user or the team: the row of the key's creation names it. */
      api_key_id: { type: 'uuid', isNullable: true },
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
      {
        name: 'public_events_by_api_key',
        on: '(project_id, api_key_id, position, index)',
        where: 'api_key_id is not null',
      },
      { name: 'public_events_keys_of_user', on: '(project_id, user_id)', where: namesKeyOwner },
      { name: 'public_events_keys_of_team', on: '(project_id, team_id)', where: namesKeyOwner },
      {
        name: 'public_events_with_memberships',
        on: '(project_id, user_id, position)',
        where: `kind = any (array[${kindsWithMemberships.map((kind) => `'${kind}'`).join(', ')}])`,
      },
      { name: 'public_events_by_time', on: '(project_id, at, position)' },
      { name: 'public_events_by_id', on: '(project_id, event_id, index)' },
    ],
  },
  {
    /**
     * What a user had from position `since` until position `until`: a membership, a permission or a selected team. They
     * also end with their team, see `ended_teams`.
     */
    name: 'holdings',
    columns: {
      user_id: { type: 'uuid' },
      /** Type, team and permission; for a selected team, only the type. */
      name: { type: 'text' },
      since: { type: 'bigint' },
      until: { type: 'bigint', isNullable: true },
      is_open: { type: 'boolean' },
      project_id: { type: 'text' },
      kind: { type: 'text' },
      team_id: { type: 'uuid', isNullable: true },
      permission_key: { type: 'text', isNullable: true },
      /**
       * For a membership: whether the user was deleted or restored meanwhile, and positions of the first and the last
       * time. An event of its team is told then.
       */
      is_told: { type: 'boolean', default: false },
      first_told: { type: 'bigint', isNullable: true },
      last_told: { type: 'bigint', isNullable: true },
    },
    key: ['user_id', 'name', 'since'],
    indexes: [
      { name: 'holdings_by_user', on: '(project_id, user_id, kind, since)' },
      { name: 'holdings_selected', on: '(project_id, team_id, user_id)', where: `kind = 'selected_team'` },
      { name: 'holdings_told', on: '(project_id, team_id, first_told)', where: 'is_told' },
      { name: 'holdings_told_again', on: '(project_id, team_id, last_told)', where: 'last_told > first_told' },
      { name: 'holdings_open_of_user', on: '(user_id)', where: 'is_open', servesWrites: true },
    ],
  },
  {
    name: 'ended_teams',
    columns: {
      team_id: { type: 'uuid' },
      /** Position of the deletion. */
      ended: { type: 'bigint' },
      project_id: { type: 'text' },
    },
    key: ['team_id'],
    indexes: [{ name: 'ended_teams_by_project', on: '(project_id)' }],
  },
];
