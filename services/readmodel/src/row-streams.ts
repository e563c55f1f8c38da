import type { Recorded } from '@gatebook/domain/event';
import type { RowHint, RowStreams } from '@gatebook/projections/projection-group';
import { actualProjectId } from './hidden-projects.ts';

const project = (row: RowHint) => `project-${actualProjectId(String(row.project_id))}`;
const user = (row: RowHint) => `user-${row.user_id}`;
const team = (row: RowHint) => `team-${row.team_id}`;
const membership = (row: RowHint) => `membership-${row.team_id}.${row.user_id}`;

/** Data sent to an address is erased by an event in the stream of that address. */
const address = (row: RowHint) => (row.address_ref ? [`reservation-email-${row.address_ref}`] : []);

/**
 * By table, of all groups: the streams that a row depends on. One stream creates the row, others delete it: deleting a
 * user deletes sessions, and deleting a project deletes everything.
 */
export const rowStreams = {
  // Depends on every user of the project; a full verification and the checksum detect a wrong count.
  projects: { of: (row) => [`project-${row.id}`], without: ['user_count'] },
  project_members: { of: (row) => [project(row), user(row)] },
  project_owner_teams: { of: (row) => [project(row), team(row)] },
  config_overrides: { of: (row) => [project(row)] },
  project_keys: { of: (row) => [`projectkey-${row.id}`, project(row)] },
  permission_definitions: { of: (row) => [project(row)] },
  team_permissions: { of: (row) => [membership(row), team(row), user(row), project(row)] },
  project_permissions: { of: (row) => [user(row), project(row)] },
  users: {
    of: (row) => [`user-${row.id}`, project(row)],
    // Leaving a team clears the selected team.
    named: ({ type, data }) =>
      type === 'TeamSelected' && data.teamId ? [`membership-${data.teamId}.${data.userId}`] : [],
  },
  contact_channels: { of: (row) => [user(row), project(row)] },
  oauth_accounts: { of: (row) => [user(row), project(row)] },
  sessions: { of: (row) => [`session-${row.id}`, user(row), project(row)] },
  device_sign_ins: { of: (row) => [`session-${row.session_id}`, user(row), project(row)] },
  teams: {
    of: (row) => [`team-${row.id}`, project(row)],
    // The user whose name is part of the team's name.
    named: ({ type, data }) =>
      type === 'TeamCreated' && data.subjectId !== data.teamId ? [`user-${data.subjectId}`] : [],
  },
  team_members: { of: (row) => [membership(row), team(row), user(row), project(row)] },
  project_invitations: { of: (row) => [`code-${row.code_id}`, project(row), ...address(row)] },
  team_invitations: { of: (row) => [`code-${row.code_id}`, team(row), project(row), ...address(row)] },
  api_keys: {
    of: (row) => [`apikey-${row.id}`, row.user_id === null ? team(row) : user(row), project(row)],
    named: ({ type, data }) => {
      if (type === 'ApiKeyMoved') return [`user-${data.ownerId}`];
      return type === 'ApiKeyCreated' ? [`${data.ownerType}-${data.ownerId}`] : [];
    },
  },
  // The event of a row may be in any stream. Its time depends on all events of the project.
  audit_events: { of: (row) => [project(row)], isPerEvent: true, without: ['at'] },
  audit_times: { of: (row) => [project(row)], without: ['at'] },
  public_events: { of: (row) => [project(row)], isPerEvent: true },
  holdings: {
    of: (row) => [user(row), project(row), ...(row.team_id === null ? [] : [membership(row)])],
  },
  ended_teams: { of: (row) => [team(row), project(row)] },
  emails: {
    of: (row) => [`email-${row.id}`, project(row), ...address(row)],
    // An orphaned email has lost its user.
    named: ({ type, data }) => (type === 'EmailRequested' && data.userId ? [`user-${data.userId}`] : []),
  },
  mailings: { of: (row) => [`mailing-${row.id}`, project(row)] },
  email_attempts: { of: (row) => [`email-${row.email_id}`, user(row), project(row), ...address(row)] },
  notification_preferences: { of: (row) => [user(row), project(row)] },
  email_templates: { of: (row) => [project(row)] },
  custom_metrics: { of: (row) => [project(row)] },
  webhook_endpoints: { of: (row) => [`webhook-${row.id}`, project(row)] },
  sign_ups: { of: (row) => [user(row), project(row)] },
  sign_ins: { of: (row) => [`session-${row.session_id}`, user(row), project(row)] },
} as const satisfies Readonly<Record<string, RowStreams>>;

/** Whether the event can change a row that is kept in memory. Of a project's events, only deletions and restores do. */
export const changesHotRows = ({ stream, type }: Recorded) =>
  /^ProjectDelet/.test(type) || /^(user|session|apikey|team|membership)-/.test(stream);
