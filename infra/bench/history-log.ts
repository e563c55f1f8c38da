import { createHash } from 'node:crypto';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { NewMetadata } from '@gatebook/domain/event';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';
import type { Keys } from '../testing/api-client.ts';

export const historyProject = 'bench';
/** With two events of each sign-up: ten events per user. */
const changesPerUser = 8;
const usersPerRequest = 10;
const callers = 32;
const at = '2026-01-01T00:00:00.000Z';

const idOf = (kind: number, n: number) =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`;
export const userIdOf = (n: number): string => idOf(2, n);
export const emailOf = (n: number): string => `u${n}@example.com`;

export const historyKeys: Keys = { client: 'pck_bench', server: 'ssk_bench', admin: 'sak_bench' };

/** One project in which all users sign up, and are then changed in turn; ten users per request. */
export async function writeHistory(store: Pick<EventStore, 'append'>, users: number): Promise<void> {
  await store.append(projectWrites(), metadataOf('project'));
  for (let turn = 0; turn <= changesPerUser; turn += 1) {
    let next = 0;
    const append = async () => {
      for (let from = next; from < users; from = next) {
        next += usersPerRequest;
        const ids = Array.from({ length: Math.min(usersPerRequest, users - from) }, (_, nth) => from + nth);
        await store.append(
          ids.map((n) => (turn === 0 ? signUp(n) : change(n, turn))),
          metadataOf(`turn ${turn} ${from}`),
        );
      }
    };
    await Promise.all(Array.from({ length: callers }, append));
  }
}

const metadataOf = (requestId: string): NewMetadata => ({
  projectId: historyProject,
  actor: { kind: 'server', id: idOf(4, 1) },
  requestId,
  correlationId: requestId,
  causationId: null,
});

function projectWrites(): Write[] {
  const projectId = historyProject;
  const settings = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  const details = { displayName: 'Bench', description: '', isProductionMode: false };
  const project: GatebookEvent = {
    type: 'ProjectCreated',
    data: { projectId, subjectId: idOf(1, 1), ...details, ...settings, at },
  };
  const hashed = (text: string) => ({
    hash: createHash('sha256').update(text).digest('base64url'),
    lastFour: text.slice(-4),
  });
  const keyId = idOf(4, 1);
  const key: GatebookEvent = {
    type: 'ProjectKeyCreated',
    data: {
      ...{ keyId, projectId, description: 'Bench', expiresAt: '2099-01-01T00:00:00.000Z', at },
      publishableClientKey: hashed(historyKeys.client),
      secretServerKey: hashed(historyKeys.server),
      superSecretAdminKey: hashed(historyKeys.admin),
    },
  };
  return [
    { stream: `project-${projectId}`, expected: NO_STREAM, events: [project] },
    { stream: `projectkey-${keyId}`, expected: NO_STREAM, events: [key] },
  ];
}

function signUp(n: number): Write {
  const [userId, projectId] = [userIdOf(n), historyProject];
  const facts = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
  const metadata = { clientMetadata: { n }, clientReadOnlyMetadata: null, serverMetadata: { plan: 'free' } };
  const signedUpAt = new Date(Date.parse(at) + n * 1_000).toISOString();
  const flags = { isPrimary: true, isVerified: true, usedForAuth: true };
  const events: GatebookEvent[] = [
    {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId, projectId, ...facts, ...metadata, signedUpAt, at: signedUpAt },
    },
    {
      type: 'ContactChannelAdded',
      data: { userId, channelId: idOf(3, n), channelType: 'email', value: emailOf(n), ...flags, at },
    },
  ];
  return { stream: `user-${userId}`, expected: NO_STREAM, events };
}

function change(n: number, turn: number): Write {
  const userId = userIdOf(n);
  const renamed: GatebookEvent = { type: 'UserRenamed', data: { userId, displayName: `User ${n} ${turn}`, at } };
  const described: GatebookEvent = {
    type: 'UserMetadataChanged',
    data: { userId, scope: 'server', value: { turn }, at },
  };
  // The sign-up was two events.
  return { stream: `user-${userId}`, expected: BigInt(turn), events: [turn % 2 === 1 ? renamed : described] };
}
