import { reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { UserEvent } from '@gatebook/domain/user/events';
import { NO_STREAM } from '@gatebook/eventlog/port';
import type { WriteDeps } from '../deps.ts';
import type { UnitOfWork } from '../execute.ts';
import { streamOf } from '../streams.ts';

/** Stands for nobody where an ID is needed. */
const nil = '00000000-0000-0000-0000-000000000000';
/** Clocks of servers differ by this much. */
const clockDriftMs = 60_000;

/** `signedUpAtMillis` undefined: the user signs up now. @throws DomainError SIGN_UP_TIME_IN_FUTURE */
export function checkSignUpTime(signedUpAtMillis: number | undefined, at: string): void {
  if (signedUpAtMillis !== undefined && signedUpAtMillis > Date.parse(at) + clockDriftMs) {
    reject('SIGN_UP_TIME_IN_FUTURE');
  }
}

/** A clock that is ahead does not move a sign-up into the future. @returns an ISO time */
export const signUpTime = (signedUpAtMillis: number, at: string): string =>
  new Date(Math.min(signedUpAtMillis, Date.parse(at))).toISOString();

/**
 * A server chooses the ID of a user it imports. User IDs are unique over all projects, because they name streams. They
 * also name the keys that encrypt personal data: deleting a user with the ID of another project's team, key or email
 * would erase that. A deleted user keeps the ID, because the key is destroyed.
 * @throws DomainError USER_ID_TAKEN
 */
export async function requireFreeUserId(work: UnitOfWork, id: string): Promise<void> {
  const user = await work.load(userDecider, streamOf.user(id));
  // A stream without a user belongs to an import whose reservation expired.
  if (user.revision !== NO_STREAM) reject('USER_ID_TAKEN');
  const found = await Promise.all(
    otherStreamsOf(id).map((stream) => work.deps.store.readStream(stream, { personal: true, large: true })),
  );
  if (id === nil || found.some(({ revision }) => revision !== NO_STREAM)) reject('USER_ID_TAKEN');
}

/** Streams of everything else whose key would have this ID. */
export const otherStreamsOf = (id: string): readonly string[] => [
  streamOf.team(id),
  streamOf.project(id),
  streamOf.projectKey(id),
  streamOf.email(id),
];

/** What the user ever had: what is gone was removed. `accountRefs`: of accounts at providers. */
export async function readEarlierMethods(
  { store }: Pick<WriteDeps, 'store'>,
  userId: string,
): Promise<{ accountRefs: ReadonlySet<string>; hadTotp: boolean }> {
  const { events } = await store.readStream<UserEvent>(streamOf.user(userId), { personal: true, large: true });
  const accountRefs = events.flatMap(({ type, data }) =>
    type === 'OAuthAccountLinked' || type === 'OAuthAccountChanged' ? [data.accountRef] : [],
  );
  return { accountRefs: new Set(accountRefs), hadTotp: events.some(({ type }) => type === 'TotpSecretChanged') };
}
