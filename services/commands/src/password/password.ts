import { reject } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { userDecider } from '@gatebook/domain/user/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { findSignInUser, rejectTakenEmail, type SignInUser } from '../reservation/email.ts';
import { prepareSignIn, registerUser, requireSession, type SignedIn } from '../sign-in/sign-in.ts';
import { streamOf } from '../streams.ts';
import { findUser, loadUser } from '../user/load-user.ts';
import { prepareVerificationEmail } from '../user/verification.ts';
import { checkChosenPassword, type PasswordSettings } from './chosen-password.ts';
import { signInFromFormerSystem } from './former-sign-in.ts';

type Switches = Pick<ProjectConfig, 'credentialEnabled' | 'signUpEnabled'>;

type Policies = { config: Switches; settings?: PasswordSettings };

type SignUp = {
  email: string;
  password: string;
  /** null: no email. */
  verificationCallbackUrl: string | null;
  project: ProjectFacts;
  anonymousUserId: string | null;
};

/**
 * Signs up a user with email and password (protocol, auth §1.1) and sends a verification email, unless its link is
 * missing or would not be trusted.
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR,
 * SIGN_UP_NOT_ENABLED, USER_EMAIL_ALREADY_EXISTS, MULTI_FACTOR_AUTHENTICATION_REQUIRED
 */
export async function signUpWithPassword(
  deps: WriteDeps,
  ctx: Context,
  { email, password, verificationCallbackUrl, project, anonymousUserId }: SignUp,
): Promise<CommandResult<SignedIn>> {
  const { config } = project;
  requirePasswordMethod(config);
  await checkChosenPassword(password, project.settings);
  if (!config.signUpEnabled) reject('SIGN_UP_NOT_ENABLED');
  await rejectTakenEmail(deps, ctx.projectId, email);
  const user = await preparePasswordUser(deps, ctx, { email, password, displayName: null, method: 'password' });
  const signIn = prepareSignIn(deps, ctx, user.at);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const newUser = await registerUser(work, { ...user, project, anonymousUserId });
    const facts = { user: newUser.user, userRevision: newUser.revision, isNewUser: true, method: 'password' } as const;
    const outcome = signIn.finish(work, facts);
    if (verificationCallbackUrl !== null && isTrustedUrl(verificationCallbackUrl, config)) {
      const verification = {
        project,
        userId: newUser.user.userId,
        email,
        displayName: null,
        callbackUrl: verificationCallbackUrl,
      };
      prepareVerificationEmail(deps, ctx, verification, user.at).add(work);
    }
    return outcome;
  });
  return { ...requireSession(result), position };
}

/** Generates IDs and password hash, outside the unit of work. */
export async function preparePasswordUser(
  deps: WriteDeps,
  ctx: Pick<Context, 'network'>,
  input: { email: string; password: string; displayName: string | null; method: 'password' | 'setup' },
) {
  const { email, displayName, method } = input;
  const passwordHash = await deps.hasher.hash(input.password, ctx.network);
  const [userId, channelId, at] = [deps.newId(), deps.newId(), deps.now()];
  const flags = { isEmailVerified: false, isOtpEnabled: false };
  return { email, displayName, method, passwordHash, userId, channelId, ...flags, at };
}

/**
 * Neither the response nor its time shows whether the email or the password is wrong.
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, EMAIL_PASSWORD_MISMATCH,
 * MULTI_FACTOR_AUTHENTICATION_REQUIRED
 */
export async function signInWithPassword(
  deps: WriteDeps,
  ctx: Context,
  { email, password, config }: { email: string; password: string; config: Switches },
): Promise<CommandResult<SignedIn>> {
  requirePasswordMethod(config);
  const found = await findSignInUser(deps, ctx.projectId, email);
  const signedIn = await signInWithHash(deps, ctx, found, password);
  if (signedIn) return signedIn;
  const migrated = await signInFromFormerSystem(deps, ctx, { email, password, found });
  if (migrated !== null && migrated !== 'changed') return migrated;
  const again =
    migrated && (await signInWithHash(deps, ctx, await findSignInUser(deps, ctx.projectId, email), password));
  return again ?? reject('EMAIL_PASSWORD_MISMATCH', {}, found?.user.userId ?? null);
}

/** @returns null if the password does not match; takes as long without a user */
async function signInWithHash(
  deps: WriteDeps,
  ctx: Context,
  found: SignInUser | null,
  password: string,
): Promise<CommandResult<SignedIn> | null> {
  const passwordHash = found?.user.passwordHash ?? null;
  const isMatch = await deps.hasher.verify(passwordHash, password, ctx.network);
  if (!isMatch || !found || passwordHash === null) return null;
  const { userId } = found.user;
  const rehashed = deps.hasher.needsRehash(passwordHash) ? await deps.hasher.hash(password, ctx.network) : null;

  const at = deps.now();
  const signIn = prepareSignIn(deps, ctx, at);
  const { result, position } = await transact(deps, ctx, async (work) => {
    if (rehashed !== null) {
      const user = await work.load(userDecider, streamOf.user(userId));
      if (user.state.status !== 'active') return reject('EMAIL_PASSWORD_MISMATCH');
      user.decide({ type: 'RehashPassword', passwordHash: rehashed, replaces: passwordHash, at });
    }
    // The password was verified at this revision: if it has changed since, the session is never alive.
    const { user, revision: userRevision } = found;
    return signIn.finish(work, { user, userRevision, isNewUser: false, method: 'password' });
  });
  return { ...requireSession(result), position };
}

/**
 * Sets the first password of a signed-in user (protocol, auth §1.3).
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR,
 * USER_ALREADY_HAS_PASSWORD
 */
export async function setPassword(
  deps: WriteDeps,
  ctx: Context,
  { userId, password, config, settings }: { userId: string; password: string } & Policies,
): Promise<CommandResult> {
  requirePasswordMethod(config);
  await checkChosenPassword(password, settings);
  const passwordHash = await deps.hasher.hash(password, ctx.network);
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    (await loadUser(work, userId)).decide({ type: 'SetPassword', passwordHash, at });
  });
  return { position };
}

/**
 * Changes the password of a signed-in user and ends all sessions except the kept one (protocol, auth §1.4).
 * @throws DomainError PASSWORD_AUTHENTICATION_NOT_ENABLED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, SCHEMA_ERROR,
 * USER_NOT_FOUND, USER_DOES_NOT_HAVE_PASSWORD, PASSWORD_CONFIRMATION_MISMATCH
 */
export async function updatePassword(
  deps: WriteDeps,
  ctx: Context,
  input: { userId: string; oldPassword: string; newPassword: string; keptSessionId: string | null } & Policies,
): Promise<CommandResult> {
  const { userId, oldPassword, newPassword, keptSessionId, config, settings } = input;
  requirePasswordMethod(config);
  await checkChosenPassword(newPassword, settings);
  const { passwordHash: verifiedHash } = await findUser(deps, ctx, userId);
  if (verifiedHash === null) return reject('USER_DOES_NOT_HAVE_PASSWORD');
  if (!(await deps.hasher.verify(verifiedHash, oldPassword, ctx.network)))
    return reject('PASSWORD_CONFIRMATION_MISMATCH');
  const passwordHash = await deps.hasher.hash(newPassword, ctx.network);
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, userId);
    const current = user.state.status === 'active' ? user.state.passwordHash : null;
    // The hash may have changed since: to another password, or to the same one (a rehash). Compare again.
    const oldPasswordMatches =
      current === verifiedHash || (current !== null && (await deps.hasher.verify(current, oldPassword, ctx.network)));
    user.decide({ type: 'UpdatePassword', oldPasswordMatches, passwordHash, keptSessionId, at });
  });
  return { position };
}

export function requirePasswordMethod({ credentialEnabled }: Pick<Switches, 'credentialEnabled'>): void {
  if (!credentialEnabled) reject('PASSWORD_AUTHENTICATION_NOT_ENABLED');
}
