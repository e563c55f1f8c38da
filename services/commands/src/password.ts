import { refuse } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { userDecider } from '@gatebook/domain/user/decide';
import { checkNewPassword } from '@gatebook/domain/user/password';
import { findSignInUser, refuseTakenEmail, takeEmail } from './claim.ts';
import { type Context, type Done, metadataOf, type WriteDeps } from './deps.ts';
import { transact, type Work } from './execute.ts';
import { type NewSession, newSession, startSession } from './session.ts';
import { streamOf } from './streams.ts';
import { findUser, loadUser } from './user.ts';

type Switches = Pick<ProjectConfig, 'credentialEnabled' | 'signUpEnabled'>;
type SignedIn = { userId: string } & NewSession;

/**
 * A new user with e-mail and password, signed in (protocol, auth §1.1).
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SIGN_UP_NOT_ENABLED,
 * USER_EMAIL_ALREADY_EXISTS
 */
export async function signUpWithPassword(
  deps: WriteDeps,
  ctx: Context,
  { email, password, config }: { email: string; password: string; config: Switches },
): Promise<Done<SignedIn>> {
  requirePasswordMethod(config);
  checkNewPassword(password);
  if (!config.signUpEnabled) refuse('SIGN_UP_NOT_ENABLED');
  await refuseTakenEmail(deps, ctx.projectId, email);
  const user = await newPasswordUser(deps, { email, password, displayName: null, method: 'password' });
  const { position } = await transact(deps.store, metadataOf(ctx, user.at), (work) => signUp(deps, ctx, work, user));
  return { ...user.session, userId: user.userId, position };
}

export type NewPasswordUser = Awaited<ReturnType<typeof newPasswordUser>>;

/** All that has to be made before a sign-up is decided: ids, hash, session. */
export async function newPasswordUser(
  deps: WriteDeps,
  input: { email: string; password: string; displayName: string | null; method: 'password' | 'setup' },
) {
  const { email, displayName, method } = input;
  const passwordHash = await deps.hasher.hash(input.password);
  const [userId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  return { email, displayName, method, passwordHash, userId, channelId, session: newSession(deps), at };
}

/** Claim first, then user, then session: each prefix is harmless. */
export async function signUp(deps: WriteDeps, ctx: Context, work: Work, newUser: NewPasswordUser): Promise<void> {
  const { email, displayName, method, passwordHash, userId, channelId, session, at } = newUser;
  await takeEmail(deps, work, { email, projectId: ctx.projectId, holderId: userId, at });
  const user = work.create(userDecider, streamOf.user(userId));
  user.decide({
    type: 'CreateUser',
    userId,
    projectId: ctx.projectId,
    displayName,
    profileImageUrl: null,
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    isAnonymous: false,
    method,
    email: { channelId, value: email, isVerified: false, usedForAuth: true },
    passwordHash,
    isOtpEnabled: false,
    at,
  });
  startSession(deps, ctx, work, session, { userId, userRevision: user.revision, method, at });
}

/**
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, EMAIL_PASSWORD_MISMATCH: which of the two is wrong shows neither
 * in the answer nor in its time
 */
export async function signInWithPassword(
  deps: WriteDeps,
  ctx: Context,
  { email, password, config }: { email: string; password: string; config: Switches },
): Promise<Done<SignedIn>> {
  requirePasswordMethod(config);
  const found = await findSignInUser(deps, ctx.projectId, email);
  const passwordHash = found?.user.passwordHash ?? null;
  const isRight = await deps.hasher.verify(passwordHash, password);
  if (!isRight || !found || passwordHash === null) return refuse('EMAIL_PASSWORD_MISMATCH');
  const { userId } = found.user;
  const rehashed = deps.hasher.needsRehash(passwordHash) ? await deps.hasher.hash(password) : null;

  const session = newSession(deps);
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    if (rehashed !== null) {
      const user = await work.load(userDecider, streamOf.user(userId));
      if (user.state.status !== 'active') return refuse('EMAIL_PASSWORD_MISMATCH');
      user.decide({ type: 'RehashPassword', passwordHash: rehashed, replaces: passwordHash, at });
    }
    // The revision on which the password was right: if another password came since, this session is never alive.
    startSession(deps, ctx, work, session, { userId, userRevision: found.revision, method: 'password', at });
  });
  return { userId, ...session, position };
}

/**
 * The first password of a signed-in user (protocol, auth §1.3).
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, USER_HAS_PASSWORD_ALREADY
 */
export async function setPassword(
  deps: WriteDeps,
  ctx: Context,
  { userId, password, config }: { userId: string; password: string; config: Switches },
): Promise<Done> {
  requirePasswordMethod(config);
  checkNewPassword(password);
  const passwordHash = await deps.hasher.hash(password);
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    (await loadUser(work, ctx, userId)).decide({ type: 'SetPassword', passwordHash, at });
  });
  return { position };
}

/**
 * Another password for a signed-in user; ends all sessions but the kept one (protocol, auth §1.4).
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
 * USER_NOT_FOUND, USER_DOES_NOT_HAVE_PASSWORD, PASSWORD_CONFIRMATION_MISMATCH
 */
export async function updatePassword(
  deps: WriteDeps,
  ctx: Context,
  input: { userId: string; oldPassword: string; newPassword: string; keptSessionId: string | null; config: Switches },
): Promise<Done> {
  const { userId, oldPassword, newPassword, keptSessionId, config } = input;
  requirePasswordMethod(config);
  checkNewPassword(newPassword);
  const { passwordHash: known } = await findUser(deps, ctx, userId);
  if (known === null) return refuse('USER_DOES_NOT_HAVE_PASSWORD');
  if (!(await deps.hasher.verify(known, oldPassword))) return refuse('PASSWORD_CONFIRMATION_MISMATCH');
  const passwordHash = await deps.hasher.hash(newPassword);
  const at = deps.now();
  const { position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    const user = await loadUser(work, ctx, userId);
    const present = user.state.status === 'active' ? user.state.passwordHash : null;
    // A hash that changed meanwhile may be of another password, or of the same (a rehash): it is compared anew.
    const oldPasswordMatches =
      present === known || (present !== null && (await deps.hasher.verify(present, oldPassword)));
    user.decide({ type: 'UpdatePassword', oldPasswordMatches, passwordHash, keptSessionId, at });
  });
  return { position };
}

function requirePasswordMethod({ credentialEnabled }: Switches): void {
  if (!credentialEnabled) refuse('PASSWORD_AUTHENTICATION_NOT_ENABLED');
}
