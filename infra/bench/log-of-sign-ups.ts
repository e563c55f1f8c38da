import { randomUUID } from 'node:crypto';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { NewMetadata } from '@gatebook/domain/event';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';

const at = '2026-01-15T12:00:00.000Z';
export const benchMetadata: NewMetadata = {
  projectId: 'internal',
  actor: { kind: 'client', id: null },
  requestId: randomUUID(),
  correlationId: randomUUID(),
  causationId: null,
};

/**
 * What one sign-up writes, and what follows it: one in three renames, one in two signs in again, one in fifty is
 * deleted.
 */
export function signUpWrites(n: number, projectId = 'internal'): Write[] {
  const [userId, channelId] = [randomUUID(), randomUUID()];
  const user: GatebookEvent[] = [
    {
      type: 'UserCreated',
      data: {
        ...unknownSignIn,
        userId,
        projectId,
        displayName: null,
        profileImageUrl: null,
        isAnonymous: false,
        method: 'password',
        at,
        clientMetadata: null,
        clientReadOnlyMetadata: null,
        serverMetadata: null,
      },
    },
    {
      type: 'ContactChannelAdded',
      data: {
        userId,
        channelId,
        channelType: 'email',
        value: `user${n}@bench.example`,
        at,
        isPrimary: true,
        isVerified: false,
        usedForAuth: true,
      },
    },
    {
      type: 'UserPasswordSet',
      data: { userId, passwordHash: `$argon2id$v=19$m=19456,t=2,p=1$${'x'.repeat(66)}`, origin: 'sign_up', at },
    },
  ];
  if (n % 3 === 0) user.push({ type: 'UserRenamed', data: { userId, displayName: `User ${n}`, at } });
  if (n % 50 === 0)
    user.push({ type: 'UserDeleted', data: { wasScheduled: false, addressRefs: [], userId, projectId, at } });
  return [
    {
      stream: `reservation-email-${randomUUID()}`,
      expected: NO_STREAM,
      events: [{ type: 'ValueReserved', data: { kind: 'email', projectId, holderId: userId, at } }],
    },
    { stream: `user-${userId}`, expected: NO_STREAM, events: user },
    // Nobody signs in after being deleted.
    ...Array.from({ length: n % 50 === 0 ? 0 : 1 + (n % 2) }, () => sessionWrite(userId, projectId)),
  ];
}

function sessionWrite(userId: string, projectId = 'internal'): Write {
  const sessionId = randomUUID();
  const started: GatebookEvent = {
    type: 'SessionStarted',
    data: {
      secondFactor: null,
      ...unknownSignIn,
      sessionId,
      userId,
      projectId,
      userRevision: 2,
      refreshTokenHash: sessionId,
      at,
      expiresAt: '2099-01-15T12:00:00.000Z',
      isImpersonation: false,
      impersonator: null,
      impersonationReason: null,
      method: 'password',
      ip: '192.0.2.17',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140',
    },
  };
  return { stream: `session-${sessionId}`, expected: NO_STREAM, events: [started] };
}

/** Fills a log with at least `events` events of sign-ups, in `internal` or in turn in several projects. */
export async function fillLog(
  store: EventStore,
  events: number,
  projects: readonly string[] = ['internal'],
): Promise<void> {
  const signUpsAtOnce = 200;
  let n = 0;
  let appends = 0;
  const append = () => {
    const projectId = projects[appends++ % projects.length];
    const writes = Array.from({ length: signUpsAtOnce }, () => signUpWrites(n++, projectId)).flat();
    return store.append(writes, { ...benchMetadata, ...(projectId && { projectId }) });
  };
  while ((await store.head()) < BigInt(events)) await Promise.all(Array.from({ length: 4 }, append));
}
