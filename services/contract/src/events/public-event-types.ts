import type { PublicEventType } from '@gatebook/domain/public-events/types';
import { WebhookDisabledReason } from '@gatebook/domain/webhook/events';
import { z } from 'zod';
import { JsonValue } from '../common.ts';
import { ServerTeamView } from '../teams.ts';
import { ServerUserView } from '../users.ts';
import { exampleTeam, exampleUser, exampleIds as ids } from './examples.ts';

/** What is known of a type of public event. `tags`: how the documentation groups it. */
export type PublicEventDefinition<Data extends z.ZodObject = z.ZodObject> = {
  description: string;
  tags: readonly string[];
  data: Data;
  example: z.input<Data>;
};

const define = <Data extends z.ZodObject>(
  tag: string,
  description: string,
  data: Data,
  example: z.input<Data>,
): PublicEventDefinition<Data> => ({ description, tags: [tag], data, example });

const id = z.uuid();
const millis = z.number().int();
const at = 1_769_342_400_000;

const user = z.object(ServerUserView.required().shape).meta({ description: 'The user right after the event.' });
const team = z.object(ServerTeamView.shape).meta({ description: 'The team right after the event.' });
const ofUser = z.object({ user_id: id });
const member = z.object({ team_id: id, user_id: id });
const memberExample = { team_id: ids.team, user_id: ids.user };
const teamPermission = z.object({ id: z.string(), team_id: id, user_id: id });
const teamPermissionExample = { id: 'team_member', ...memberExample };
const projectPermission = z.object({ id: z.string(), user_id: id });
const projectPermissionExample = { id: 'read_reports', user_id: ids.user };
const session = z.object({
  id,
  user_id: id,
  method: z.string(),
  provider_id: z.string().nullable(),
  second_factor: z.string().nullable(),
  is_impersonation: z.boolean(),
  created_at_millis: millis,
  expires_at_millis: millis,
});
const sessionExample = {
  ...{ id: ids.session, user_id: ids.user, method: 'oauth', provider_id: 'github', second_factor: null },
  ...{ is_impersonation: false, created_at_millis: at, expires_at_millis: at + 31_536_000_000 },
};
const endedSession = z.object({ id, user_id: id, reason: z.string() });
const endedExample = (reason: string) => ({ id: ids.session, user_id: ids.user, reason });
const channel = z.object({
  id,
  user_id: id,
  type: z.literal('email'),
  value: z.string().nullable(),
  is_primary: z.boolean(),
  is_verified: z.boolean(),
  used_for_auth: z.boolean(),
});
const channelExample = {
  ...{ id: ids.channel, user_id: ids.user, type: 'email' as const, value: 'ada@example.com' },
  ...{ is_primary: true, is_verified: true, used_for_auth: true },
};
const account = z.object({
  id,
  user_id: id,
  provider_id: z.string(),
  account_id: z.string().nullable(),
  email: z.string().nullable(),
  allow_sign_in: z.boolean(),
  allow_connected_accounts: z.boolean(),
});
const accountExample = {
  ...{ id: ids.account, user_id: ids.user, provider_id: 'github', account_id: '583231', email: 'ada@example.com' },
  ...{ allow_sign_in: true, allow_connected_accounts: true },
};
const expiry = z.number().int().nullable();
/** The other one is null. */
const owner = { user_id: id.nullable(), team_id: id.nullable() };
const apiKey = z.object({
  id,
  ...owner,
  description: z.string().nullable(),
  is_public: z.boolean(),
  last_four: z.string(),
  created_at_millis: millis,
  expires_at_millis: expiry,
});
const apiKeyExample = {
  ...{ id: ids.key, user_id: ids.user, team_id: null, description: 'CI', is_public: false, last_four: 'x7q2' },
  ...{ created_at_millis: at, expires_at_millis: null },
};
const identified = z.object({ id });
const permission = z.object({
  id: z.string(),
  scope: z.enum(['team', 'project']),
  description: z.string().nullable(),
});
const permissionExample = { id: 'team_admin', scope: 'team' as const, description: 'Has all permissions in the team' };

/** Every type of public event. A type without an entry does not compile. */
export const publicEventDefinitions = {
  'user.created': define('Users', 'A user was created, or a deleted user was restored.', user, exampleUser),
  'user.updated': define(
    'Users',
    'Something that the user object shows changed, also when the selected team is deleted or restored.',
    user,
    exampleUser,
  ),
  'user.deleted': define(
    'Users',
    'A user was deleted. The user may still be restored; see `user.erased`.',
    z.object({ id, teams: z.array(identified) }),
    { id: ids.user, teams: [{ id: ids.team }] },
  ),
  'team.created': define(
    'Teams',
    'A team was created, or a deleted team was restored with its members.',
    team,
    exampleTeam,
  ),
  'team.updated': define('Teams', 'A team changed.', team, exampleTeam),
  'team.deleted': define('Teams', 'A team was deleted, with its memberships. It may still be restored.', identified, {
    id: ids.team,
  }),
  'team_membership.created': define(
    'Teams',
    'A user joined a team, or came back. Not told of its creator.',
    member,
    memberExample,
  ),
  'team_membership.deleted': define(
    'Teams',
    'A user left a team, was removed, or was deleted. Not told when the team is deleted.',
    member,
    memberExample,
  ),
  'team_permission.created': define(
    'Teams',
    'A permission in a team was granted, also by default to a new member, or came back with its user.',
    teamPermission,
    teamPermissionExample,
  ),
  'team_permission.deleted': define(
    'Teams',
    'A permission in a team was revoked.',
    teamPermission,
    teamPermissionExample,
  ),
  'project_permission.created': define(
    'Users',
    'A permission in the project was granted, or came back with its user.',
    projectPermission,
    projectPermissionExample,
  ),
  'project_permission.deleted': define(
    'Users',
    'A permission in the project was revoked.',
    projectPermission,
    projectPermissionExample,
  ),
  'user.erased': define('Users', 'The data of a deleted user was destroyed. Forget your copy.', identified, {
    id: ids.user,
  }),
  'user.signed_in': define('Sessions', 'A user signed in. The data is that of the session.', session, sessionExample),
  'user.sign_in_failed': define(
    'Sessions',
    'A wrong second factor, or so many failed sign-ins that they are throttled.',
    z.object({
      user_id: id,
      reason: z.enum(['second_factor_rejected', 'throttled']),
      failures: z.number().int(),
      minutes: z.number().int().nullable().meta({ description: 'How long the failures took.' }),
    }),
    { user_id: ids.user, reason: 'throttled', failures: 10, minutes: 15 },
  ),
  'user.sessions_revoked': define(
    'Sessions',
    'All sessions of a user ended, except the kept one.',
    z.object({ user_id: id, kept_session_id: id.nullable(), reason: z.string() }),
    { user_id: ids.user, kept_session_id: ids.session, reason: 'password_update' },
  ),
  'user.api_keys_revoked': define('API keys', 'All API keys of a user were revoked.', ofUser, { user_id: ids.user }),
  'session.created': define('Sessions', 'A session was started.', session, sessionExample),
  'session.ended': define('Sessions', 'A user signed out.', endedSession, endedExample('sign_out')),
  'session.revoked': define('Sessions', 'A session was ended by others.', endedSession, endedExample('revoked')),
  'contact_channel.created': define(
    'Users',
    'An email address was added, or came back with its user.',
    channel,
    channelExample,
  ),
  'contact_channel.updated': define(
    'Users',
    'An email address changed, also because another one became the primary one.',
    channel,
    channelExample,
  ),
  'contact_channel.deleted': define('Users', 'An email address was removed.', z.object({ id, user_id: id }), {
    id: ids.channel,
    user_id: ids.user,
  }),
  'passkey.created': define('Users', 'A passkey was registered.', ofUser, { user_id: ids.user }),
  'passkey.deleted': define('Users', 'A passkey was removed.', ofUser, { user_id: ids.user }),
  'mfa.enabled': define('Users', 'Two-factor authentication was turned on.', ofUser, { user_id: ids.user }),
  'mfa.disabled': define('Users', 'Two-factor authentication was turned off.', ofUser, { user_id: ids.user }),
  'connected_account.created': define(
    'Users',
    'An account at a provider was linked, or came back with its user.',
    account,
    accountExample,
  ),
  'connected_account.updated': define('Users', 'A linked account changed.', account, accountExample),
  'connected_account.deleted': define(
    'Users',
    'A linked account was removed.',
    z.object({ user_id: id, provider_id: z.string() }),
    { user_id: ids.user, provider_id: 'github' },
  ),
  'api_key.created': define('API keys', 'An API key of a user or a team was created.', apiKey, apiKeyExample),
  'api_key.updated': define(
    'API keys',
    'An API key changed, or belongs to another user, into whom its owner was merged.',
    z.object({ id, ...owner, description: z.string().nullable(), expires_at_millis: expiry }),
    { id: ids.key, user_id: ids.user, team_id: null, description: 'CI', expires_at_millis: null },
  ),
  'api_key.revoked': define('API keys', 'An API key was revoked.', z.object({ id, ...owner }), {
    ...{ id: ids.key, user_id: ids.user, team_id: null },
  }),
  'team_invitation.created': define(
    'Teams',
    'Somebody was invited into a team.',
    z.object({ id, team_id: id, recipient_email: z.string().nullable(), expires_at_millis: millis }),
    { id: ids.invitation, team_id: ids.team, recipient_email: 'bob@example.com', expires_at_millis: at },
  ),
  'project.updated': define(
    'Project',
    'The details or the configuration of the project changed.',
    z.object({ id: z.string() }),
    { id: ids.project },
  ),
  'project_key.created': define(
    'Project',
    'A project key was created.',
    z.object({ id, description: z.string(), created_at_millis: millis, expires_at_millis: millis }),
    { id: ids.key, description: 'Production', created_at_millis: at, expires_at_millis: at + 31_536_000_000 },
  ),
  'project_key.updated': define(
    'Project',
    'The description of a project key changed.',
    z.object({ id, description: z.string().optional() }),
    { id: ids.key, description: 'Production' },
  ),
  'project_key.revoked': define('Project', 'A project key was revoked.', identified, { id: ids.key }),
  'permission_definition.created': define('Project', 'A permission was defined.', permission, permissionExample),
  'permission_definition.updated': define(
    'Project',
    'A permission definition changed. `previous` has its ID before: after a rename, earlier events have that one.',
    permission.extend({ previous: z.object({ id: z.string() }) }),
    { ...permissionExample, previous: { id: 'team_owner' } },
  ),
  'permission_definition.deleted': define(
    'Project',
    'A permission definition was deleted. Its grants no longer have an effect; no events follow for them.',
    z.object({ id: z.string() }),
    { id: 'team_admin' },
  ),
  'webhook_endpoint.disabled': define(
    'Project',
    'A webhook endpoint was disabled by hand, by an answer 410, or after days of failures.',
    z.object({ id, reason: WebhookDisabledReason }),
    { id: ids.endpoint, reason: 'failing' },
  ),
} as const satisfies Readonly<Record<PublicEventType, PublicEventDefinition>>;

export const actor = z
  .object({
    kind: z.enum(['user', 'client', 'server', 'admin', 'owner', 'operator', 'system']),
    id: z.string().nullable().meta({ description: 'ID of the user, the owner or the project key.' }),
  })
  .meta({ id: 'PublicEventActor' });

/** The fields of every public event besides `type` and `data`. */
export const envelope = {
  id: z.string().meta({ description: 'Never changes, so receivers can recognize duplicates by it.' }),
  created_at_millis: millis,
  cursor: z.string().meta({ description: 'Where the feed continues after this event.' }),
  actor,
  request_id: z.string(),
};

export type PublicEventData = {
  [Type in PublicEventType]: z.output<(typeof publicEventDefinitions)[Type]['data']>;
};
/** A public event, discriminated by `type`. */
export type PublicEventOf<Type extends PublicEventType = PublicEventType> = {
  [One in Type]: { type: One; data: PublicEventData[One] } & z.output<z.ZodObject<typeof envelope>>;
}[Type];

/** The JSON Schema of an event of a type. */
export function schemaOf(type: PublicEventType): Record<string, unknown> {
  const { description, data } = publicEventDefinitions[type];
  const event = z.object({ type: z.literal(type), data, ...envelope }).meta({ title: type, description });
  return z.toJSONSchema(event, { io: 'output' }) as Record<string, unknown>;
}

export const PublicEventView = z
  .object({
    ...envelope,
    type: z.string(),
    data: z.record(z.string(), JsonValue).meta({ description: 'By type: see `GET /events/types`.' }),
  })
  .meta({ id: 'PublicEvent' });
export type PublicEventView = z.infer<typeof PublicEventView>;
