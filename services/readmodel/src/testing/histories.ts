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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('own' as const), n: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), n: fc.integer({ min: 1, max: 40 }) }) },
);

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
 * Histories of two projects and up to eight users: plausible streams in any order, with repeats and with events of
 * deleted users and of a deleted project, which a projection must tolerate.
 */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 10, maxLength: 60 })
  .map((steps) => {
    const created = new Set<number>();
    const sessions = new Set<string>();
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
