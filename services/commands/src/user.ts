import { decideInTurn } from '@gatebook/domain/decider';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { canonicalEmail } from '@gatebook/domain/user/email';
import type { UserEvent } from '@gatebook/domain/user/events';
import { checkImportedHash, checkPasswordFits } from '@gatebook/domain/user/password';
import { signInEmails } from '@gatebook/domain/user/sign-in-emails';
import type { UserState } from '@gatebook/domain/user/state';
import type { ProjectFacts } from './code-mail.ts';
import { type CommandResult, type Context, metadataOf, type WriteDeps } from './deps.ts';
import { execute, type LoadedAggregate, readState, transact, type UnitOfWork } from './execute.ts';
import { findUser, loadUser } from './load-user.ts';
import { addUser } from './new-user.ts';
import {
  accountRefOf,
  addressRefOf,
  endAddress,
  type Rejection,
  rejectTakenEmail,
  releaseEmail,
  releaseOAuthAccount,
  releasePasskey,
  takeEmail,
  takeOAuthAccount,
} from './reservation.ts';
import { streamOf } from './streams.ts';
import { loadMember } from './team-rights.ts';

type Json = Extract<UserEvent, { type: 'UserMetadataChanged' }>['data']['value'];
type SignInMethods = Pick<ProjectConfig, 'credentialEnabled' | 'magicLinkEnabled'>;

/** What a server may say of a user; undefined leaves (update) or means the default (create). */
export type UserInput = {
  displayName?: string | null;
  profileImageUrl?: string | null;
  clientMetadata?: Json;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
  primaryEmail?: string | null;
  primaryEmailVerified?: boolean;
  primaryEmailAuthEnabled?: boolean;
  /** null removes the password. */
  password?: string | null;
  /** bcrypt, from elsewhere; never together with a password. */
  passwordHash?: string;
  otpAuthEnabled?: boolean;
  /** Only `false` has an effect, on an update: the passkey is removed. */
  passkeyAuthEnabled?: boolean;
  /** base64; null switches the second factor off. */
  totpSecret?: string | null;
  /** On an update only `false`: an anonymous user becomes a normal one. */
  isAnonymous?: boolean;
  /** On an update only; null: none any more. */
  selectedTeamId?: string | null;
};

/** An account at a provider that signs in as the user. */
export type GivenAccount = { provider: string; accountId: string; email: string | null };

/**
 * A server makes a user (protocol, resources §1.4).
 * @throws DomainError PASSWORD_TOO_LONG, EMAIL_FLAG_WITHOUT_EMAIL, USER_EMAIL_ALREADY_EXISTS, PASSWORD_METHOD_IS_OFF,
 * OAUTH_PROVIDER_OF_USER_UNKNOWN, OTP_METHOD_IS_OFF, OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: checked in this order
 */
export async function createUser(
  deps: WriteDeps,
  ctx: Context,
  input: UserInput & { project: ProjectFacts; oauthAccounts?: readonly GivenAccount[] },
): Promise<CommandResult<{ userId: string }>> {
  const { primaryEmail = null, primaryEmailVerified = false, primaryEmailAuthEnabled = false, project } = input;
  const { password = null, otpAuthEnabled = false, totpSecret = null } = input;
  checkPasswordInput(input);
  if (password !== null) checkPasswordFits(password);
  if (primaryEmail === null && (primaryEmailVerified || primaryEmailAuthEnabled)) reject('EMAIL_FLAG_WITHOUT_EMAIL');
  if (primaryEmail !== null && primaryEmailAuthEnabled) await rejectTakenEmail(deps, ctx.projectId, primaryEmail);
  const accounts = accountsByRef(deps, ctx, project, input.oauthAccounts ?? []);
  const hasPassword = password !== null || input.passwordHash !== undefined;
  if (hasPassword && !project.config.credentialEnabled) reject('PASSWORD_METHOD_IS_OFF');
  if (otpAuthEnabled && !project.config.magicLinkEnabled) reject('OTP_METHOD_IS_OFF');
  const passwordHash = input.passwordHash ?? (password === null ? null : await deps.hasher.hash(password));

  const [userId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    if (primaryEmail !== null && primaryEmailAuthEnabled) {
      await takeEmail(deps, work, { email: primaryEmail, projectId: ctx.projectId, holderId: userId, at });
    }
    for (const accountRef of accounts.keys()) {
      await takeOAuthAccount(deps, work, { accountRef, projectId: ctx.projectId, holderId: userId, at });
    }
    const user = addUser(deps, ctx, work, project, {
      userId,
      displayName: input.displayName || null,
      profileImageUrl: input.profileImageUrl ?? null,
      clientMetadata: input.clientMetadata ?? null,
      clientReadOnlyMetadata: input.clientReadOnlyMetadata ?? null,
      serverMetadata: input.serverMetadata ?? null,
      isAnonymous: input.isAnonymous ?? false,
      method: 'server',
      email:
        primaryEmail === null
          ? null
          : { channelId, value: primaryEmail, isVerified: primaryEmailVerified, usedForAuth: primaryEmailAuthEnabled },
      passwordHash,
      isOtpEnabled: otpAuthEnabled,
      at,
    });
    if (totpSecret !== null) user.decide({ type: 'ChangeTotpSecret', secret: totpSecret, at });
    for (const [accountRef, account] of accounts) {
      user.decide({ type: 'LinkOAuthAccount', accountRef, ...account, isOnlyOne: false, at });
    }
  });
  return { userId, position };
}

/** An account that is given twice counts once. @throws DomainError OAUTH_PROVIDER_OF_USER_UNKNOWN */
function accountsByRef(
  deps: WriteDeps,
  { projectId }: Context,
  { config }: ProjectFacts,
  accounts: readonly GivenAccount[],
): ReadonlyMap<string, GivenAccount> {
  const known: readonly string[] = config.oauthProviders.map(({ id }) => id);
  if (accounts.some(({ provider }) => !known.includes(provider))) reject('OAUTH_PROVIDER_OF_USER_UNKNOWN');
  return new Map(accounts.map((account) => [accountRefOf(deps, projectId, account), account]));
}

/**
 * Changes what the input names, in one append (protocol, resources §1.3, §1.5, §1.6).
 * @throws DomainError PASSWORD_TOO_LONG, USER_NOT_FOUND, EMAIL_FLAG_WITHOUT_EMAIL, PASSWORD_METHOD_IS_OFF,
 * PASSWORD_NEEDS_PRIMARY_EMAIL, OTP_METHOD_IS_OFF, USER_EMAIL_ALREADY_EXISTS, TEAM_MEMBERSHIP_NOT_FOUND
 */
export async function updateUser(
  deps: WriteDeps,
  ctx: Context,
  { userId, project, ...input }: UserInput & { userId: string; project: ProjectFacts },
): Promise<CommandResult> {
  checkPasswordInput(input);
  const passwordHash =
    typeof input.password === 'string'
      ? await hashFor(deps, ctx, userId, input.password)
      : (input.passwordHash ?? input.password);
  const [newChannelId, at] = [deps.newId(), deps.now()];
  const commands = commandsOf(input, { passwordHash, methods: project.config, newChannelId, at });
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    if (typeof input.selectedTeamId === 'string') await loadMember(work, ctx, input.selectedTeamId, userId);
    await decideOnUser(deps, ctx, work, { userId, commands, at });
  });
  return { position };
}

const upgradedByServer = {
  type: 'UpgradeUser',
  method: 'server',
  email: null,
  passwordHash: null,
  isOtpEnabled: false,
} as const;

/** Even no password is one too many beside a hash. @throws DomainError PASSWORD_AND_HASH, PASSWORD_HASH_INVALID */
function checkPasswordInput({ password, passwordHash }: UserInput): void {
  if (passwordHash === undefined) return;
  if (password !== undefined) reject('PASSWORD_AND_HASH');
  checkImportedHash(passwordHash);
}

type UserChange = {
  userId: string;
  commands: readonly UserCommand[];
  at: string;
  /** How to reject an address that somebody else signs in with. */
  taken?: Rejection;
  /** How to reject a user who is not there. */
  missing?: DomainErrorCode;
};

/**
 * Decides on a user with all that hangs on it: what they sign in with is reserved before, and let go of after.
 * @returns the user, changed. @throws DomainError USER_NOT_FOUND, and as the commands reject
 */
export async function decideOnUser(
  deps: WriteDeps,
  ctx: Context,
  work: UnitOfWork,
  { userId, commands, at, taken, missing }: UserChange,
): Promise<LoadedAggregate<UserState, UserCommand>> {
  const user = await loadUser(work, ctx, userId, missing);
  const before = signInEmails(user.state);
  const passkey = passkeyOf(user.state);
  const accounts = oauthAccountsOf(user.state);
  const changed = decideInTurn(userDecider, commands, user.state).reduce(userDecider.evolve, user.state);
  const after = signInEmails(changed);
  const reservation = { projectId: ctx.projectId, holderId: userId, at };
  for (const [key, email] of after) if (!before.has(key)) await takeEmail(deps, work, { email, ...reservation }, taken);
  for (const command of commands) user.decide(command);
  for (const [key, email] of before) if (!after.has(key)) await releaseEmail(deps, work, { email, ...reservation });
  if (passkey !== null && passkeyOf(changed) === null) {
    await releasePasskey(deps, work, { credentialId: passkey, ...reservation });
  }
  const kept = oauthAccountsOf(changed);
  for (const accountRef of accounts) {
    if (!kept.includes(accountRef)) await releaseOAuthAccount(work, { accountRef, ...reservation });
  }
  return user;
}

type Facts = { passwordHash: string | null | undefined; methods: SignInMethods; newChannelId: string; at: string };

function commandsOf(input: UserInput, { passwordHash, methods, newChannelId, at }: Facts): UserCommand[] {
  const { primaryEmail: email, primaryEmailVerified: isVerified, primaryEmailAuthEnabled: usedForAuth } = input;
  const commands: UserCommand[] = [];
  if (input.displayName !== undefined)
    commands.push({ type: 'RenameUser', displayName: input.displayName || null, at });
  if (input.profileImageUrl !== undefined) {
    commands.push({ type: 'ChangeUserImage', profileImageUrl: input.profileImageUrl, at });
  }
  const metadata = [
    ['client', input.clientMetadata],
    ['client_read_only', input.clientReadOnlyMetadata],
    ['server', input.serverMetadata],
  ] as const;
  for (const [scope, value] of metadata) {
    if (value !== undefined) commands.push({ type: 'ChangeUserMetadata', scope, value, at });
  }
  if (email !== undefined || isVerified !== undefined || usedForAuth !== undefined) {
    commands.push({ type: 'ChangePrimaryEmail', email, isVerified, usedForAuth, newChannelId, at });
  }
  if (passwordHash !== undefined) {
    commands.push({ type: 'SetPasswordByServer', passwordHash, isMethodOn: methods.credentialEnabled, at });
  }
  if (input.otpAuthEnabled !== undefined) {
    const isEnabled = input.otpAuthEnabled;
    commands.push({ type: 'ChangeOtpAuth', isEnabled, isMethodOn: methods.magicLinkEnabled, at });
  }
  if (input.totpSecret !== undefined) commands.push({ type: 'ChangeTotpSecret', secret: input.totpSecret, at });
  if (input.passkeyAuthEnabled === false) commands.push({ type: 'RemovePasskey', at });
  if (input.selectedTeamId !== undefined) commands.push({ type: 'SelectTeam', teamId: input.selectedTeamId, at });
  if (input.isAnonymous === false) commands.push({ ...upgradedByServer, at });
  return commands;
}

/**
 * Records the deletion, frees the e-mails, then destroys the key under which the user's facts are encrypted, and those of invitations and
 * mails to the user's addresses. Should a crash come in between, deleting again completes the first (and is rejected), and the worker
 * completes all. @throws DomainError USER_NOT_FOUND
 */
export async function deleteUser(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const before = await readState(deps.store, userDecider, streamOf.user(userId));
  if (before.state.status === 'deleted' && before.state.projectId === ctx.projectId) await deps.eraseSubject(userId);
  const { position, result } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    const user = await loadUser(work, ctx, userId);
    const refsOf = (emails: Iterable<string>) =>
      [...new Set(emails)].map((email) => addressRefOf(deps, ctx.projectId, email));
    const addressRefs = refsOf(addressesToErase(ctx, user.state));
    const signInRefs = refsOf(signInEmails(user.state).keys());
    const credentialId = passkeyOf(user.state);
    const accounts = oauthAccountsOf(user.state);
    user.decide({ type: 'DeleteUser', addressRefs, at });
    const reservation = { projectId: ctx.projectId, holderId: userId, at };
    // Only after the user: an address freed before its user is gone would let two sign in with it.
    for (const addressRef of new Set([...signInRefs, ...addressRefs])) {
      await endAddress(work, { addressRef, isErased: addressRefs.includes(addressRef), ...reservation });
    }
    if (credentialId !== null) await releasePasskey(deps, work, { credentialId, ...reservation });
    for (const accountRef of accounts) await releaseOAuthAccount(work, { accountRef, ...reservation });
    return addressRefs;
  });
  await eraseKeys(deps, userId, result);
  return { position };
}

/**
 * In their canonical form. With users who delete themselves go only the addresses that they have verified: others may be a stranger's, whose
 * invitations they could end (docs/decisions/0028).
 */
function addressesToErase({ actor }: Context, user: UserState): string[] {
  const channels = user.status === 'active' ? user.channels : [];
  return channels.flatMap(({ value, isVerified }) =>
    value !== null && (isVerified || actor.kind !== 'user') ? [canonicalEmail(value)] : [],
  );
}

/**
 * Completes the erasure of a deleted user, and records that. CommandResult again, as after keys came back with a backup, it leaves alone what was
 * sent to the addresses since.
 */
export async function completeErasure(
  deps: WriteDeps,
  ctx: Context,
  { userId, addressRefs }: { userId: string; addressRefs: readonly string[] },
): Promise<CommandResult> {
  const at = deps.now();
  const { state } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (state.status !== 'deleted') return { position: null };
  await eraseKeys(deps, userId, addressRefs, state.erasedAt ?? undefined);
  return execute(deps.store, userDecider, streamOf.user(userId), { type: 'RecordErasure', at }, metadataOf(ctx, at));
}

async function eraseKeys(
  { eraseSubject, eraseAddress }: WriteDeps,
  userId: string,
  addressRefs: readonly string[],
  madeBefore?: string,
): Promise<void> {
  await Promise.all([eraseSubject(userId), ...addressRefs.map((addressRef) => eraseAddress(addressRef, madeBefore))]);
}

/** Notes that somebody is given all that is kept about a user. @throws DomainError USER_NOT_FOUND */
export async function recordExport(
  deps: WriteDeps,
  ctx: Context,
  { userId }: { userId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    (await loadUser(work, ctx, userId)).decide({ type: 'ExportUser', at });
  });
  return { position };
}

const oauthAccountsOf = (user: UserState) =>
  user.status === 'active' ? user.oauthAccounts.map(({ accountRef }) => accountRef) : [];
const passkeyOf = (user: UserState) => (user.status === 'active' ? (user.passkey?.credentialId ?? null) : null);

/** Hashing is dear: it is not done for a user who is not there. @throws DomainError PASSWORD_TOO_LONG, USER_NOT_FOUND */
async function hashFor(deps: WriteDeps, ctx: Context, userId: string, password: string): Promise<string> {
  checkPasswordFits(password);
  await findUser(deps, ctx, userId);
  return deps.hasher.hash(password);
}
