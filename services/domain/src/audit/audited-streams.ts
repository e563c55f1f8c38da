import { type ApiKeyState, evolveApiKey, initialState as noApiKey } from '../api-key/state.ts';
import { type EmailState, evolveEmail, initialState as noEmail } from '../email/state.ts';
import type { DomainEvent } from '../event.ts';
import { evolveMailing, type MailingState, initialState as noMailing } from '../mailing/state.ts';
import { evolveMembership, type MembershipState, initialState as noMembership } from '../membership/state.ts';
import { evolveProject, initialState as noProject } from '../project/state.ts';
import { evolveProjectKey, initialState as noProjectKey } from '../project-key/state.ts';
import { evolveSession, initialState as noSession, type SessionState } from '../session/state.ts';
import { evolveTeam, existingTeam, initialState as noTeam, type TeamState } from '../team/state.ts';
import { evolveWebhook, initialState as noWebhook, type WebhookState } from '../webhook/state.ts';
import { buildFields, type Fields, millisOf } from './fields.ts';
import { fieldsOfProject, fieldsOfProjectKey } from './project-fields.ts';
import { evolveAuditedUser, fieldsOfUser, initialState as noUser } from './user-fields.ts';

/** How the fields of an object follow from the events of its stream. */
export type AuditedStream<State = unknown> = {
  initialState: State;
  evolve: (state: State, event: DomainEvent) => State;
  fieldsOf: (state: State) => Fields;
};

/** The stream decides which events there are. */
const audited = <State, E extends DomainEvent>(
  initialState: State,
  evolve: (state: State, event: E) => State,
  fieldsOf: (state: State) => Fields,
) => ({ initialState, evolve, fieldsOf }) as unknown as AuditedStream;

const byCategory: Readonly<Record<string, AuditedStream>> = {
  user: audited(noUser, evolveAuditedUser, fieldsOfUser),
  team: audited(noTeam, evolveTeam, fieldsOfTeam),
  membership: audited(noMembership, evolveMembership, fieldsOfMember),
  session: audited(noSession, evolveSession, fieldsOfSession),
  apikey: audited(noApiKey, evolveApiKey, fieldsOfApiKey),
  project: audited(noProject, evolveProject, fieldsOfProject),
  projectkey: audited(noProjectKey, evolveProjectKey, fieldsOfProjectKey),
  email: audited(noEmail, evolveEmail, fieldsOfEmail),
  mailing: audited(noMailing, evolveMailing, fieldsOfMailing),
  webhook: audited(noWebhook, evolveWebhook, fieldsOfWebhook),
};

/** null for streams whose objects have no fields, such as reservations and codes. */
export const auditedStream = (stream: string): AuditedStream | null =>
  byCategory[stream.slice(0, stream.indexOf('-'))] ?? null;

function fieldsOfTeam(state: TeamState): Fields {
  const { add, addTree, fields } = buildFields();
  if (state.status === 'absent') return fields;
  add('status', state.status);
  if (state.status === 'awaiting_deletion') add('erased_at_millis', millisOf(state.deleteAt));
  const team = existingTeam(state);
  if (team === null) return fields;
  add('display_name', team.displayName);
  add('profile_image_url', team.profileImageUrl);
  addTree('client_metadata', team.clientMetadata);
  addTree('client_read_only_metadata', team.clientReadOnlyMetadata);
  addTree('server_metadata', team.serverMetadata);
  return fields;
}

function fieldsOfMember(membership: MembershipState): Fields {
  const { add, fields } = buildFields();
  if (membership.status === 'none') return fields;
  add('status', membership.status);
  add('profile.display_name', membership.profile.displayName);
  add('profile.profile_image_url', membership.profile.profileImageUrl);
  for (const key of membership.permissions) add(`permissions.${key}`, true);
  return fields;
}

function fieldsOfSession(session: SessionState): Fields {
  const { add, fields } = buildFields();
  if (session.status !== 'absent') add('status', session.status);
  return fields;
}

function fieldsOfApiKey(key: ApiKeyState): Fields {
  const { add, addSecret, fields } = buildFields();
  if (key.status === 'absent') return fields;
  add(`${key.ownerType}_id`, key.ownerId);
  add('description', key.description);
  add('is_public', key.isPublic);
  add('last_four', key.lastFour);
  addSecret('value', key.hash);
  add('expires_at_millis', millisOf(key.expiresAt));
  add('manually_revoked_at_millis', millisOf(key.revokedAt));
  return fields;
}

function fieldsOfEmail(email: EmailState): Fields {
  const { add, fields } = buildFields();
  if (email.status === 'absent') return fields;
  add('status', email.status);
  if (email.status !== 'recorded') add('scheduled_at_millis', millisOf(email.scheduledAt));
  return fields;
}

function fieldsOfMailing(mailing: MailingState): Fields {
  const { add, fields } = buildFields();
  if (mailing.status === 'absent') return fields;
  add('status', mailing.status);
  add('scheduled_at_millis', millisOf(mailing.scheduledAt));
  return fields;
}

function fieldsOfWebhook(endpoint: WebhookState): Fields {
  const { add, addSecret, fields } = buildFields();
  if (endpoint.status === 'absent') return fields;
  add('status', endpoint.status);
  if (endpoint.status === 'deleted') return fields;
  const { url, description, types, ordering, rateLimitPerSecond, headers } = endpoint.values;
  addSecret('url', url);
  add('description', description);
  add('types', types);
  add('ordering', ordering);
  add('rate_limit_per_second', rateLimitPerSecond);
  for (const [name, value] of Object.entries(headers)) addSecret(`headers.${name}`, value);
  addSecret('secret', endpoint.secrets[0]?.secret);
  add('is_enabled', endpoint.disabledReason === null);
  add('disabled_reason', endpoint.disabledReason);
  return fields;
}
