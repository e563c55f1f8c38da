import { DomainError, reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { UserState } from '@gatebook/domain/user/state';
import { ConcurrencyError, type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import type { Context, WriteDeps } from '../deps.ts';
import { dryRun, transact } from '../execute.ts';
import { emailReservation } from '../reservation/email.ts';
import { reserveOAuthAccount } from '../reservation/oauth-account.ts';
import { unknownUserId } from '../reservation/reservation.ts';
import { streamOf } from '../streams.ts';
import {
  checkEmailFlags,
  checkMethods,
  createUser,
  decideNewUser,
  indexByRef,
  type NewUserInput,
  type PreparedNewUser,
} from './create-user.ts';
import { checkSignUpTime, otherStreamsOf, readEarlierMethods, requireFreeUserId } from './imported-user.ts';
import { loadUser } from './load-user.ts';
import { checkPasswordInput } from './user-input.ts';

/** A password comes as a hash, because computing hashes would take most of the time of an import. */
export type ImportedUser = Omit<NewUserInput, 'password' | 'id'> & {
  id: string;
  /** Whether the ID is a hash of the project and the user's former ID, so that nothing else can have it. */
  isIdDerived?: boolean;
};
/** `completed`: an existing user got a password, a second factor or provider accounts that were missing. */
export type ImportOutcome = 'created' | 'completed' | 'existing' | DomainError;

/** The streams that a dry run would have written, so that it finds duplicates in its input. */
export type DryRun = { has(stream: string): boolean; add(stream: string): void };

/** `emails`: the addresses to sign in with, by the streams that reserve them. */
type Prepared = PreparedNewUser & {
  input: ImportedUser;
  streams: readonly string[];
  emails: ReadonlyMap<string, string>;
};

/** Users decided one after the other, in parallel with this many others. */
const parallelUsers = 16;

/**
 * Creates many users in one append. Users whose streams exist, and all users after a conflict, are decided one by one,
 * so that a rejected user does not affect the others. With `rehearsal`, nothing is appended.
 * @returns the outcome of each user, in order
 */
export async function importUsers(
  deps: WriteDeps,
  ctx: Context,
  inputs: readonly ImportedUser[],
  { rehearsal = null }: { rehearsal?: DryRun | null } = {},
): Promise<readonly ImportOutcome[]> {
  const outcomes = new Map<ImportedUser, ImportOutcome>();
  const prepared = inputs.flatMap((input) => {
    const result = toOutcome(() => prepareUser(deps, ctx, input));
    if (!(result instanceof DomainError)) return [result];
    outcomes.set(input, result);
    return [];
  });
  const fresh = await selectFresh(deps, prepared);
  if (rehearsal || (await appendAll(deps, ctx, fresh))) for (const { input } of fresh) outcomes.set(input, 'created');
  const remaining = prepared.filter(({ input }) => !outcomes.has(input));
  await forEachInParallel(remaining, async ({ input }) => {
    outcomes.set(input, await importUser(deps, ctx, input, rehearsal !== null));
  });
  if (rehearsal) for (const user of prepared) rejectDuplicate(user, rehearsal, outcomes);
  return inputs.map((input) => outcomes.get(input) ?? 'existing');
}

/** @throws DomainError as `createUser` rejects before it loads anything */
function prepareUser(deps: WriteDeps, ctx: Context, input: ImportedUser): Prepared {
  const at = deps.now();
  checkSignUpTime(input.signedUpAtMillis, at);
  checkPasswordInput(input);
  checkEmailFlags(input);
  checkMethods(input);
  const accounts = indexByRef(deps, ctx, input);
  const userId = input.id;
  // It stands for nobody, and no stream shows that it is taken.
  if (userId === unknownUserId) reject('USER_ID_TAKEN');
  const prepared = {
    ...input,
    userId,
    channelId: deps.newId(),
    accounts,
    passwordHash: input.passwordHash ?? null,
    at,
  };
  const addresses = [
    ...(input.primaryEmail && input.primaryEmailAuthEnabled ? [input.primaryEmail] : []),
    ...(input.otherEmails ?? []).filter(({ usedForAuth }) => usedForAuth).map(({ value }) => value),
  ];
  const emails = new Map(addresses.map((email) => [emailReservation({ deps, ctx }, email), email]));
  const streams = [
    streamOf.user(userId),
    ...(input.isIdDerived ? [] : otherStreamsOf(userId)),
    ...emails.keys(),
    ...[...accounts.keys()].map((accountRef) => streamOf.reservation('oauth', accountRef)),
  ];
  return { ...prepared, input, streams, emails };
}

/** Rejects what users before this one would have taken; otherwise notes what this one would take. */
function rejectDuplicate(
  { input, userId, streams, emails }: Prepared,
  rehearsal: DryRun,
  outcomes: Map<ImportedUser, ImportOutcome>,
): void {
  const outcome = outcomes.get(input);
  if (outcome instanceof DomainError) return;
  const user = streamOf.user(userId);
  const taken = outcome === 'existing' ? undefined : streams.find((stream) => rehearsal.has(stream));
  if (taken === user) outcomes.set(input, 'existing');
  else if (taken !== undefined) {
    const email = emails.get(taken);
    outcomes.set(
      input,
      email === undefined
        ? new DomainError('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER')
        : new DomainError('USER_EMAIL_ALREADY_EXISTS', { email }),
    );
  } else for (const stream of outcome === 'existing' ? [user] : streams) rehearsal.add(stream);
}

/** Users none of whose streams exists, in the log or for a user before them. */
async function selectFresh({ store }: WriteDeps, users: readonly Prepared[]): Promise<readonly Prepared[]> {
  const revisions = await store.revisionsOf([...new Set(users.flatMap(({ streams }) => streams))]);
  const used = new Set<string>();
  return users.filter(({ streams }) => {
    const isFresh = streams.every((stream) => revisions.get(stream) === NO_STREAM && !used.has(stream));
    for (const stream of streams) used.add(stream);
    return isFresh;
  });
}

/** @returns false if another writer was first, or a decision was rejected: then decide them one by one */
async function appendAll(deps: WriteDeps, ctx: Context, users: readonly Prepared[]): Promise<boolean> {
  if (users.length === 0) return true;
  const store = withoutStreams(
    deps.store,
    new Set([streamOf.user(unknownUserId), ...users.flatMap(({ streams }) => streams)]),
  );
  try {
    await transact({ ...deps, store }, ctx, async (work) => {
      for (const user of users) await decideNewUser(work, user);
    });
    return true;
  } catch (error) {
    if (error instanceof BatchConflictError || error instanceof DomainError) return false;
    throw error;
  }
}

/** Another writer was first. Deciding the same batch again would conflict again. */
class BatchConflictError extends Error {}

/** The log without reads of streams that did not exist a moment ago. The append still expects that. */
function withoutStreams(store: EventStore, absent: ReadonlySet<string>): EventStore {
  return {
    ...store,
    foldStream: async (stream, fold, options) =>
      absent.has(stream)
        ? { state: fold.initialState, revision: NO_STREAM, isConfirmed: true }
        : store.foldStream(stream, fold, options),
    append: (writes, metadata) =>
      store.append(writes, metadata).catch((error: unknown) => {
        throw error instanceof ConcurrencyError ? new BatchConflictError('a batch conflicts', { cause: error }) : error;
      }),
  };
}

async function importUser(
  deps: WriteDeps,
  ctx: Context,
  input: ImportedUser,
  isDryRun: boolean,
): Promise<ImportOutcome> {
  const { state } = await deps.store.foldStream(streamOf.user(input.id), userDecider);
  if (state.status === 'active' && state.projectId === ctx.projectId) {
    return completeUser(deps, ctx, input, state, isDryRun).catch(rejected);
  }
  return createAlone(deps, ctx, input, isDryRun).catch(rejected);
}

async function createAlone(
  deps: WriteDeps,
  ctx: Context,
  input: ImportedUser,
  isDryRun: boolean,
): Promise<ImportOutcome> {
  if (isDryRun) {
    await dryRun(deps, ctx, async (work) => {
      await requireFreeUserId(work, input.id);
      await decideNewUser(work, prepareUser(deps, ctx, input));
    });
  } else await createUser(deps, ctx, input);
  return 'created';
}

type ActiveState = Extract<UserState, { status: 'active' }>;

/**
 * Adds what an earlier import of the same user did not have. Never replaces anything, and never adds what the user once
 * had. Where sessions were ended, the first verification of an address or a report of a stolen password may have
 * removed what is missing, so it stays away. Somebody else can have a user's old address by now, and an ID that derives
 * from it.
 */
async function completeUser(
  deps: WriteDeps,
  ctx: Context,
  input: ImportedUser,
  { userId, passwordHash, totp, oauthAccounts, channels, sessionsEnded }: ActiveState,
  isDryRun: boolean,
): Promise<ImportOutcome> {
  if (sessionsEnded !== null) return 'existing';
  const accounts = indexByRef(deps, ctx, input);
  const linked = new Set(oauthAccounts.map(({ accountRef }) => accountRef));
  const address = input.primaryEmail?.toLowerCase();
  if (address !== undefined && !channels.some(({ value }) => value?.toLowerCase() === address)) return 'existing';
  const hasAddress = channels.some(({ isPrimary }) => isPrimary);
  const isPasswordMissing = input.passwordHash !== undefined && passwordHash === null && hasAddress;
  const isComplete = [...accounts.keys()].every((ref) => linked.has(ref)) && (totp !== null || !input.totpSecret);
  const earlier = isComplete ? null : await readEarlierMethods(deps, userId);
  const isTotpMissing = Boolean(input.totpSecret) && earlier?.hadTotp === false;
  const missing = [...accounts].filter(([accountRef]) => earlier?.accountRefs.has(accountRef) === false);
  if (!isPasswordMissing && !isTotpMissing && missing.length === 0) return 'existing';
  const at = deps.now();
  const run = isDryRun ? dryRun : transact;
  await run<void>(deps, ctx, async (work) => {
    for (const [accountRef] of missing) await reserveOAuthAccount(work, { accountRef, holderId: userId, at });
    const user = await loadUser(work, userId);
    const active = user.state.status === 'active' ? user.state : null;
    if (isPasswordMissing && input.passwordHash) {
      user.decide({ type: 'MigratePassword', passwordHash: input.passwordHash, endsAccess: false, at });
    }
    if (isTotpMissing && active?.totp === null) {
      user.decide({ type: 'ChangeTotpSecret', secret: input.totpSecret ?? null, at });
    }
    for (const [accountRef, account] of missing) {
      user.decide({ type: 'LinkOAuthAccount', id: deps.newId(), accountRef, ...account, isOnlyOne: false, at });
    }
  });
  return 'completed';
}

const rejected = (error: unknown): DomainError => {
  if (error instanceof DomainError) return error;
  throw error;
};

function toOutcome<T>(decide: () => T): T | DomainError {
  try {
    return decide();
  } catch (error) {
    return rejected(error);
  }
}

async function forEachInParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const run = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: parallelUsers }, run));
}
