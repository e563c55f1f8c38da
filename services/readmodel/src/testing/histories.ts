import type { GatebookEvent } from '@gatebook/domain/catalog';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import fc from 'fast-check';

type Step = { stream: string; events: GatebookEvent[] };

const at = '2026-01-15T12:00:00.000Z';
const uuid = (kind: number, n: number) =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`;
const projectIds = ['internal', uuid(1, 1)];

function createUser(n: number): Step {
  const userId = uuid(2, n);
  const profile = { displayName: `user ${n}`, profileImageUrl: null, isAnonymous: false };
  const metadata = { clientMetadata: { n }, clientReadOnlyMetadata: null, serverMetadata: null };
  return {
    stream: `user-${userId}`,
    events: [
      {
        type: 'UserCreated',
        data: { ...unknownSignIn, userId, projectId: projectOf(n), ...profile, ...metadata, method: 'password', at },
      },
      addChannel(n, n, true),
      { type: 'UserPasswordSet', data: { userId, passwordHash: 'hash', origin: 'sign_up', at } },
    ],
  };
}

const projectOf = (n: number) => projectIds[n % projectIds.length] ?? 'internal';

function addChannel(user: number, channel: number, isPrimary: boolean): GatebookEvent {
  const value = `c${channel}@example.com`;
  const flags = { isPrimary, isVerified: false, usedForAuth: isPrimary };
  const channelId = uuid(3, user * 100 + channel);
  return {
    type: 'ContactChannelAdded',
    data: { userId: uuid(2, user), channelId, channelType: 'email', value, ...flags, at },
  };
}

/** One event of user `n`. */
const happening = fc.oneof(
  fc.constant(
    (n: number): GatebookEvent => ({ type: 'UserRenamed', data: { userId: uuid(2, n), displayName: null, at } }),
  ),
  fc.integer({ min: 50, max: 53 }).map((c) => (n: number) => addChannel(n, c, c % 2 === 0)),
  fc.integer({ min: 50, max: 53 }).map(
    (c) =>
      (n: number): GatebookEvent => ({
        type: 'PrimaryChannelChanged',
        data: { userId: uuid(2, n), channelId: uuid(3, n * 100 + c), at },
      }),
  ),
  fc.integer({ min: 50, max: 53 }).map(
    (c) =>
      (n: number): GatebookEvent => ({
        type: 'ContactChannelRemoved',
        data: { userId: uuid(2, n), channelId: uuid(3, n * 100 + c), at },
      }),
  ),
  fc.boolean().map(
    (isEnabled) =>
      (n: number): GatebookEvent => ({ type: 'OtpAuthChanged', data: { userId: uuid(2, n), isEnabled, at } }),
  ),
  fc.constant(
    (n: number): GatebookEvent => ({
      type: 'UserSessionsEnded',
      data: { userId: uuid(2, n), keptSessionId: null, reason: 'password_update', at },
    }),
  ),
  fc.constant(
    (n: number): GatebookEvent => ({
      type: 'UserDeletionScheduled',
      data: { userId: uuid(2, n), projectId: projectOf(n), deleteAt: at, isByUser: false, at },
    }),
  ),
  fc.constant(
    (n: number): GatebookEvent => ({
      type: 'UserDeletionCanceled',
      data: { userId: uuid(2, n), projectId: projectOf(n), at },
    }),
  ),
  fc.constant(
    (n: number): GatebookEvent => ({
      type: 'UserDeleted',
      data: { wasScheduled: false, addressRefs: [], userId: uuid(2, n), projectId: projectOf(n), at },
    }),
  ),
);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), n: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('happen' as const), n: fc.integer({ min: 1, max: 8 }), make: happening }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('session' as const),
      n: fc.integer({ min: 1, max: 8 }),
      s: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('team' as const),
      n: fc.integer({ min: 1, max: 8 }),
      team: fc.integer({ min: 1, max: 4 }),
      what: fc.constantFrom('rename', 'join', 'grant', 'leave', 'schedule', 'restore', 'delete'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('project' as const),
      n: fc.constant(1),
      what: fc.constantFrom('schedule', 'restore'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('own' as const), n: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), n: fc.integer({ min: 1, max: 40 }) }) },
);

type TeamWhat = 'rename' | 'join' | 'grant' | 'leave' | 'schedule' | 'restore' | 'delete';

/** Creates the team the first time. Its members are users of its project. */
function teamStep(n: number, team: number, what: TeamWhat, created: Set<number>): Step {
  const [teamId, userId, projectId] = [uuid(6, team), uuid(2, 2 * (n >> 1) + (team % 2)), projectOf(team)];
  const isNew = !created.has(team);
  created.add(team);
  const member = { teamId, userId, projectId };
  const ofMembership = (event: GatebookEvent): Step => ({ stream: `membership-${teamId}.${userId}`, events: [event] });
  const ofTeam = (event: GatebookEvent): Step => ({ stream: `team-${teamId}`, events: [event] });
  if (isNew) return ofTeam(teamCreated(teamId, projectId, team));
  switch (what) {
    case 'rename':
      return ofTeam({ type: 'TeamRenamed', data: { teamId, displayName: `team ${n}`, at } });
    case 'join':
      return ofMembership({
        type: 'TeamMemberAdded',
        data: { ...member, permissionKeys: ['team_member'], how: 'added', at },
      });
    case 'grant':
      return ofMembership({ type: 'TeamPermissionGranted', data: { ...member, permissionKey: `p${n % 2}`, at } });
    case 'leave':
      return ofMembership({ type: 'TeamMemberRemoved', data: { ...member, how: 'left', at } });
    case 'schedule':
      return ofTeam({ type: 'TeamDeletionScheduled', data: { teamId, projectId, deleteAt: at, at } });
    case 'restore':
      return ofTeam({ type: 'TeamDeletionCanceled', data: { teamId, projectId, at } });
    case 'delete':
      return ofTeam({ type: 'TeamDeleted', data: { teamId, projectId, wasScheduled: n % 2 === 0, at } });
  }
}

function teamCreated(teamId: string, projectId: string, team: number): GatebookEvent {
  const profile = { displayName: `team ${team}`, profileImageUrl: null, clientMetadata: { team } };
  const others = { clientReadOnlyMetadata: null, serverMetadata: null, creatorId: null };
  return { type: 'TeamCreated', data: { teamId, projectId, subjectId: teamId, ...profile, ...others, at } };
}

const projectDeletion = (projectId: string, what: 'schedule' | 'restore'): GatebookEvent =>
  what === 'schedule'
    ? { type: 'ProjectDeletionScheduled', data: { projectId, deleteAt: at, at } }
    : { type: 'ProjectDeletionCanceled', data: { projectId, at } };

function project(projectId: string, n: number): Step {
  const details = { displayName: `project ${n}`, description: '', isProductionMode: false };
  const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  const created: GatebookEvent = {
    type: 'ProjectCreated',
    data: { projectId, subjectId: uuid(4, n), ...details, ...parts, at },
  };
  return { stream: `project-${projectId}`, events: [created] };
}

/**
 * Histories of two projects, up to eight users and four teams: plausible streams in any order, with repeats and with
 * events of deleted users and teams and of a deleted project, which a projection must tolerate.
 */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 10, maxLength: 60 })
  .map((steps) => {
    const created = new Set<number>();
    const sessions = new Set<string>();
    const teams = new Set<number>();
    const history: Step[] = projectIds.map(project);
    for (const next of steps) {
      const userId = uuid(2, next.n);
      if (next.kind === 'create' && !created.has(next.n)) {
        created.add(next.n);
        history.push(createUser(next.n));
      } else if (next.kind === 'happen' && created.has(next.n)) {
        history.push({ stream: `user-${userId}`, events: [next.make(next.n)] });
      } else if (next.kind === 'session' && created.has(next.n)) {
        history.push(sessionStep(next.n, next.s, sessions));
      } else if (next.kind === 'team') {
        history.push(teamStep(next.n, next.team, next.what as TeamWhat, teams));
      } else if (next.kind === 'project') {
        const projectId = uuid(1, 1);
        const event = projectDeletion(projectId, next.what as 'schedule' | 'restore');
        history.push({ stream: `project-${projectId}`, events: [event] });
      } else if (next.kind === 'own') {
        const projectId = projectOf(next.n);
        history.push({
          stream: `project-${projectId}`,
          events: [{ type: 'ProjectOwnerAdded', data: { projectId, userId, at } }],
        });
      } else if (next.kind === 'end' && next.n === 1) {
        const projectId = uuid(1, 1);
        history.push({ stream: `project-${projectId}`, events: [{ type: 'ProjectDeleted', data: { projectId, at } }] });
      }
    }
    return history;
  });

/** Starts the session the first time, ends it later. */
function sessionStep(n: number, s: number, started: Set<string>): Step {
  const [userId, sessionId] = [uuid(2, n), uuid(5, n * 10 + s)];
  const stream = `session-${sessionId}`;
  if (started.has(sessionId)) {
    return { stream, events: [{ type: 'SessionEnded', data: { sessionId, userId, reason: 'sign_out', at } }] };
  }
  started.add(sessionId);
  const facts = {
    userRevision: s,
    refreshTokenHash: sessionId,
    expiresAt: '2027-01-15T12:00:00.000Z',
    isImpersonation: false,
    impersonator: null,
    impersonationReason: null,
  };
  const person = { method: 'password' as const, ip: '192.0.2.1', userAgent: 'test' };
  return {
    stream,
    events: [
      {
        type: 'SessionStarted',
        data: {
          secondFactor: null,
          ...unknownSignIn,
          sessionId,
          userId,
          projectId: projectOf(n),
          ...facts,
          ...person,
          at,
        },
      },
    ],
  };
}
