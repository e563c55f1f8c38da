import type { GatebookEvent } from '@gatebook/domain/catalog';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';

type Step = { stream: string; events: readonly GatebookEvent[] };

const uuid = (kind: number, n: number) =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`;
const expiresAt = '2099-01-15T12:00:00.000Z';
/** Also the project of every event's metadata in tests. */
const lasting = 'internal';
const ending = 'ending';
const metadata = { clientMetadata: { deep: [1, null, 'ä'] }, clientReadOnlyMetadata: null, serverMetadata: true };

function project(projectId: string, n: number): Step {
  const facts = { displayName: `project ${n}`, description: '', isProductionMode: false };
  const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  return {
    stream: `project-${projectId}`,
    events: [
      { type: 'ProjectCreated', data: { projectId, subjectId: uuid(1, n), ...facts, ...parts, at } },
      { type: 'ProjectOwnerAdded', data: { projectId, userId: uuid(2, n), at } },
      {
        type: 'ConfigOverrideChanged',
        data: {
          ...{ projectId, subjectId: uuid(1, n), level: 'branch', override: { auth: {} } },
          ...{ source: { type: 'pushed-from-unknown' }, at },
        },
      },
      { type: 'ProjectOwnerTeamChanged', data: { projectId, teamId: uuid(5, n), at } },
      {
        type: 'EmailTemplateChanged',
        data: { projectId, templateType: 'magic_link', language: null, subject: 'Hi', content: null, at },
      },
    ],
  };
}

function user(n: number, projectId: string): Step {
  const userId = uuid(2, n);
  const person = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
  const flags = { isPrimary: true, isVerified: true, usedForAuth: true };
  const channel = { channelId: uuid(3, n), channelType: 'email' as const, value: `u${n}@example.com`, ...flags };
  const allowed = { allowSignIn: true, allowConnectedAccounts: true };
  const account = { id: uuid(5, n), accountId: `octo${n}`, email: null, ...allowed };
  return {
    stream: `user-${userId}`,
    events: [
      { type: 'UserCreated', data: { ...unknownSignIn, userId, projectId, ...person, ...metadata, at } },
      { type: 'ContactChannelAdded', data: { userId, ...channel, at } },
      { type: 'UserPasswordSet', data: { userId, passwordHash: 'hash', origin: 'sign_up', at } },
      { type: 'ProjectPermissionGranted', data: { userId, permissionKey: 'p', at } },
      { type: 'OAuthAccountLinked', data: { userId, provider: 'github', accountRef: 'ref', ...account, at } },
      {
        type: 'NotificationPreferenceChanged',
        data: { userId, projectId, category: 'marketing', isEnabled: false, at },
      },
    ],
  };
}

function session(n: number, userNumber: number, projectId: string): Step {
  const [sessionId, userId] = [uuid(4, n), uuid(2, userNumber)];
  const person = {
    isImpersonation: false,
    impersonator: null,
    method: 'password' as const,
    ip: '192.0.2.1',
    userAgent: 'test',
  };
  const facts = { userRevision: 2, refreshTokenHash: sessionId, expiresAt };
  return {
    stream: `session-${sessionId}`,
    events: [
      {
        type: 'SessionStarted',
        data: {
          secondFactor: null,
          impersonationReason: null,
          ...unknownSignIn,
          sessionId,
          userId,
          projectId,
          ...facts,
          ...person,
          at,
        },
      },
    ],
  };
}

function team(n: number, projectId: string, namesake: number | null): Step {
  const [teamId, subjectId] = [uuid(5, n), namesake === null ? uuid(5, n) : uuid(2, namesake)];
  const facts = { displayName: `Team ${n}`, profileImageUrl: null, creatorId: null };
  return {
    stream: `team-${teamId}`,
    events: [{ type: 'TeamCreated', data: { teamId, projectId, subjectId, ...facts, ...metadata, at } }],
  };
}

function membership(teamNumber: number, userNumber: number, projectId: string): Step {
  const [teamId, userId] = [uuid(5, teamNumber), uuid(2, userNumber)];
  return {
    stream: `membership-${teamId}.${userId}`,
    events: [
      {
        type: 'TeamMemberAdded',
        data: { teamId, userId, projectId, permissionKeys: ['team_member'], how: 'added', at },
      },
      { type: 'TeamProfileChanged', data: { teamId, userId, displayName: 'Nick', profileImageUrl: null, at } },
      { type: 'TeamPermissionGranted', data: { teamId, userId, projectId, permissionKey: 'team_admin', at } },
    ],
  };
}

function invitation(n: number, teamNumber: number, projectId: string): Step {
  const codeId = `code${n}`;
  const facts = {
    purpose: 'team_invitation' as const,
    codeHash: 'hash',
    expiresAt,
    payload: { teamId: uuid(5, teamNumber) },
  };
  const encrypted = {
    recipient: 'x@example.com',
    addressRef: `address${n}`,
    callbackUrl: null,
    encryptedPayload: null,
  };
  const data = { codeId, subjectId: uuid(6, n), projectId, ...facts, ...encrypted, at };
  return { stream: `code-${codeId}`, events: [{ type: 'CodeIssued', data }] };
}

function projectInvitation(n: number, projectId: string): Step {
  const codeId = `code${n}`;
  const facts = {
    purpose: 'project_invitation' as const,
    codeHash: 'hash',
    expiresAt,
    payload: { role: 'owner', senderRole: 'support' },
  };
  const encrypted = { recipient: 'y@example.com', addressRef: null, callbackUrl: null, encryptedPayload: null };
  const data = { codeId, subjectId: uuid(6, n), projectId, ...facts, ...encrypted, at };
  return { stream: `code-${codeId}`, events: [{ type: 'CodeIssued', data }] };
}

function apiKey(n: number, ownerType: 'user' | 'team', ownerId: string, projectId: string): Step {
  const keyId = uuid(7, n);
  const facts = { description: `key ${n}`, isPublic: false, hash: `hash ${n}`, lastFour: 'abcd', expiresAt: null };
  return {
    stream: `apikey-${keyId}`,
    events: [
      { type: 'ApiKeyCreated', data: { keyId, projectId, ownerType, ownerId, ownerRevision: null, ...facts, at } },
    ],
  };
}

function projectKey(n: number, projectId: string): Step {
  const parts = {
    publishableClientKey: null,
    secretServerKey: { hash: 'hash', lastFour: 'abcd' },
    superSecretAdminKey: null,
  };
  const data = { keyId: uuid(8, n), projectId, description: 'key', ...parts, expiresAt, at };
  return { stream: `projectkey-${uuid(8, n)}`, events: [{ type: 'ProjectKeyCreated', data }] };
}

function email(n: number, userNumber: number, projectId: string): Step {
  const [emailId, userId] = [uuid(9, n), uuid(2, userNumber)];
  const sender = {
    type: 'shared' as const,
    host: 'smtp.example.com',
    port: 25,
    username: null,
    senderName: 'Shop',
    senderEmail: 'shop@example.com',
  };
  const mail = { emailId, projectId, emailType: 'magic_link' as const, userId, addressRef: null };
  const plan = { mailingId: null, scheduledAt: null, expiresAt };
  const error = { type: 'REJECTED' as const, message: 'no', canRetry: true, rawError: '554' };
  const tried = { ...mail, subjectId: userId, to: 'x@example.com', subject: 'Hi', sender, attempt: 1, at };
  return {
    stream: `email-${emailId}`,
    events: [
      {
        type: 'EmailRequested',
        data: { ...mail, ...plan, recipient: 'x@example.com', variables: {}, language: 'de-DE', at },
      },
      { type: 'EmailFailed', data: { ...tried, error, isFinal: false } },
    ],
  };
}

function mailing(n: number, projectId: string): Step {
  const mailingId = uuid(10, n);
  const about = { mailingId, projectId, category: 'marketing' as const, templateType: null, userIds: null };
  const content = { subject: 'News', html: '<p>News</p>', variables: {} };
  const times = { scheduledAt: at, expiresAt, at };
  return {
    stream: `mailing-${mailingId}`,
    events: [{ type: 'MailingRequested', data: { ...about, content, ...times } }],
  };
}

function webhookEndpoint(n: number, projectId: string): Step {
  const endpointId = uuid(11, n);
  const target = { url: 'https://shop.example/hooks', description: '', types: ['user.*'], headers: { 'x-key': 'x' } };
  const limits = { ordering: 'subject' as const, rateLimitPerSecond: null };
  const secrets = [{ secret: 'whsec_x', expiresAt: null }];
  const start = { isEnabled: true, startAfter: null };
  const data = { endpointId, projectId, subjectId: uuid(1, 1), ...target, ...limits, secrets, ...start, at };
  return { stream: `webhook-${endpointId}`, events: [{ type: 'WebhookEndpointCreated', data }] };
}

function customMetric(n: number, projectId: string): Step {
  const what = { displayName: 'Sign-ins', eventTypes: ['user.signed_in'], filter: { actor: 'user' } };
  const how = { groupBy: 'method', unit: 'day' as const, count: 'events' as const };
  const data = { projectId, metricId: uuid(12, n), ...what, ...how, at };
  return { stream: `project-${projectId}`, events: [{ type: 'CustomMetricDefined', data }] };
}

/** Created without an email address. */
function anonymousUser(n: number, projectId: string): Step {
  const userId = uuid(2, n);
  const person = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: true, method: 'anonymous' as const };
  return {
    stream: `user-${userId}`,
    events: [{ type: 'UserCreated', data: { ...unknownSignIn, userId, projectId, ...person, ...metadata, at } }],
  };
}

const only = (stream: string, ...events: readonly GatebookEvent[]): Step => ({ stream, events });
const deleted = (n: number, projectId: string) =>
  only(`user-${uuid(2, n)}`, {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId: uuid(2, n), projectId, at },
  });
const deletionScheduled = (n: number, projectId: string) =>
  only(`user-${uuid(2, n)}`, {
    type: 'UserDeletionScheduled',
    data: { userId: uuid(2, n), projectId, deleteAt: expiresAt, isByUser: true, at },
  });
const restored = (n: number, projectId: string) =>
  only(`user-${uuid(2, n)}`, { type: 'UserDeletionCanceled', data: { userId: uuid(2, n), projectId, at } });
const teamDeletionScheduled = (n: number, projectId: string) =>
  only(`team-${uuid(5, n)}`, {
    type: 'TeamDeletionScheduled',
    data: { teamId: uuid(5, n), projectId, deleteAt: expiresAt, at },
  });
const teamRestored = (n: number, projectId: string) =>
  only(`team-${uuid(5, n)}`, { type: 'TeamDeletionCanceled', data: { teamId: uuid(5, n), projectId, at } });
const unverified = (n: number) =>
  only(`user-${uuid(2, n)}`, {
    type: 'ContactChannelVerificationChanged',
    data: { userId: uuid(2, n), channelId: uuid(3, n), isVerified: false, isByLinkAlone: false, at },
  });
const selected = (n: number, teamNumber: number) =>
  only(`user-${uuid(2, n)}`, { type: 'TeamSelected', data: { userId: uuid(2, n), teamId: uuid(5, teamNumber), at } });

/**
 * A history that leaves at least one row in every table, after events of other streams changed or removed rows: by
 * deleting a user, a team and a project, erasing an address, leaving a team and using a code.
 */
export const everyTable: readonly Step[] = [
  project(lasting, 1),
  project(ending, 2),
  ...[1, 2, 3].map((n) => user(n, lasting)),
  user(4, ending),
  anonymousUser(5, lasting),
  ...[user(6, lasting), unverified(6)],
  ...[session(1, 1, lasting), session(2, 2, lasting), session(3, 3, lasting), session(4, 4, ending)],
  ...[session(5, 5, lasting), membership(1, 5, lasting)],
  ...[team(1, lasting, null), team(2, lasting, 2), team(3, lasting, null), team(4, ending, null)],
  ...[membership(1, 1, lasting), membership(1, 2, lasting), membership(1, 3, lasting), membership(3, 1, lasting)],
  ...[invitation(1, 1, lasting), invitation(2, 1, lasting), invitation(3, 3, lasting), invitation(4, 1, lasting)],
  projectInvitation(9, lasting),
  ...[apiKey(1, 'user', uuid(2, 1), lasting), apiKey(2, 'user', uuid(2, 2), lasting)],
  ...[apiKey(3, 'team', uuid(5, 1), lasting), apiKey(4, 'team', uuid(5, 3), lasting)],
  ...[projectKey(1, lasting), projectKey(2, ending)],
  ...[email(1, 1, lasting), email(2, 2, lasting), email(3, 3, lasting)],
  ...[mailing(1, lasting), mailing(2, ending)],
  ...[webhookEndpoint(1, lasting), webhookEndpoint(2, ending)],
  ...[customMetric(1, lasting), customMetric(2, ending)],
  ...[user(7, lasting), membership(1, 7, lasting), session(7, 7, lasting), email(7, 7, lasting)],
  ...[apiKey(7, 'user', uuid(2, 7), lasting), deletionScheduled(7, lasting)],
  ...[user(8, lasting), membership(1, 8, lasting), deletionScheduled(8, lasting), restored(8, lasting)],
  ...[team(5, lasting, null), membership(5, 1, lasting), invitation(5, 5, lasting)],
  ...[apiKey(5, 'team', uuid(5, 5), lasting), teamDeletionScheduled(5, lasting)],
  ...[team(6, lasting, null), membership(6, 1, lasting), teamDeletionScheduled(6, lasting), teamRestored(6, lasting)],
  ...[selected(1, 1), selected(3, 1)],
  only(`membership-${uuid(5, 1)}.${uuid(2, 3)}`, {
    type: 'TeamMemberRemoved',
    data: { teamId: uuid(5, 1), userId: uuid(2, 3), projectId: lasting, how: 'left', at },
  }),
  only('code-code2', { type: 'CodeUsed', data: { codeId: 'code2', at, granted: null } }),
  deleted(2, lasting),
  only('reservation-email-address4', {
    type: 'AddressErased',
    data: { addressRef: 'address4', projectId: lasting, at },
  }),
  only(`user-${uuid(2, 2)}`, { type: 'UserErased', data: { userId: uuid(2, 2), projectId: lasting, at } }),
  only(`team-${uuid(5, 3)}`, {
    type: 'TeamDeleted',
    data: { teamId: uuid(5, 3), projectId: lasting, wasScheduled: false, at },
  }),
  only(`project-${ending}`, { type: 'ProjectDeleted', data: { projectId: ending, at } }),
];
