import { DomainError } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import type { ActiveUser } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { findActiveProject } from '../project/project.ts';
import type { SignInUser } from '../reservation/email.ts';
import { prepareSignIn, requireSession, type SignedIn } from '../sign-in/sign-in.ts';
import { streamOf } from '../streams.ts';
import { decideNewUser } from '../user/create-user.ts';
import { requireFreeUserId } from '../user/imported-user.ts';
import type { FormerUser } from './former-system.ts';

type SignIn = { email: string; password: string; found: SignInUser | null };

/**
 * Signs in a user whose password only the former system of the project knows, and stores its hash
 * (docs/decisions/0074).
 * @returns null if there is no such system, or if it rejects the password; `changed` if it accepts the password, but
 * somebody else, such as the same user in another window, was faster
 */
export async function signInFromFormerSystem(
  deps: WriteDeps,
  ctx: Context,
  { email, password, found }: SignIn,
): Promise<CommandResult<SignedIn> | 'changed' | null> {
  const { formerSystem } = deps;
  const project = formerSystem ? await findActiveProject(deps, ctx.projectId) : null;
  if (!formerSystem || !project?.passwordMigration) return null;
  if (found?.user.hasPassword) {
    await formerSystem.imitate(project.passwordMigration);
    return null;
  }
  const { projectId } = ctx;
  const former = await formerSystem.check(project.passwordMigration, { projectId, email, password });
  if (former === null) return null;
  const losesAddress = found !== null && mustGiveWay(found, former);
  if (found && !losesAddress && !canTakePassword(found, former)) return null;
  const passwordHash = await deps.hasher.hash(password, ctx.network);
  const [userId, channelId, at] = [former.id ?? deps.newId(), deps.newId(), deps.now()];
  const signIn = prepareSignIn(deps, ctx, at);
  const facts = { ...project, displayName: project.details.displayName };
  try {
    const { result, position } = await transact(deps, ctx, async (work) => {
      const first = { isNewUser: false, method: 'password' } as const;
      if (found) {
        const user = await work.load(userDecider, streamOf.user(found.user.userId));
        // The former system took seconds. In that time, the user may have changed the address or set a password.
        if (user.revision !== found.revision) return 'changed';
        if (!losesAddress) {
          user.decide({ type: 'MigratePassword', passwordHash, endsAccess: !found.isVerified, at });
          return signIn.finish(work, { ...first, user: user.state as ActiveUser, userRevision: user.revision });
        }
      }
      if (former.id !== undefined) await requireFreeUserId(work, former.id);
      const address = {
        primaryEmail: email,
        primaryEmailVerified: former.isEmailVerified,
        primaryEmailAuthEnabled: true,
      };
      const { id: _, ...profile } = former;
      const input = {
        ...profile,
        ...address,
        userId,
        channelId,
        project: facts,
        accounts: new Map(),
        passwordHash,
        takesAddress: losesAddress,
        at,
      };
      const user = await decideNewUser(work, input);
      return signIn.finish(work, { ...first, user: user.state as ActiveUser, userRevision: user.revision });
    });
    return result === 'changed' ? result : { ...requireSession(result), position };
  } catch (error) {
    // The address or the ID belongs to somebody else by now, or to a user who awaits deletion.
    if (error instanceof DomainError && takenCodes.includes(error.code)) return 'changed';
    throw error;
  }
}

const takenCodes: readonly string[] = ['USER_EMAIL_ALREADY_EXISTS', 'USER_ID_TAKEN'];

/** An anonymous user who only wrote down an address does not keep its owner out (docs/decisions/0022). */
const mustGiveWay = ({ user, isVerified }: SignInUser, { isEmailVerified }: FormerUser): boolean =>
  user.isAnonymous && !isVerified && isEmailVerified;

/**
 * Whether a user without a password gets that of the former system. Both sides must have verified the address, because
 * anyone could have signed up with it, here or there. A user whose only address is unverified and who has no way to
 * sign in is an import. Where sessions were ended, the password may have been removed because somebody else knew it.
 */
function canTakePassword({ user, isVerified, standing }: SignInUser, { isEmailVerified }: FormerUser): boolean {
  if (user.sessionsEnded !== null) return false;
  if (isVerified) return isEmailVerified;
  const canSignIn = user.oauthAccounts.length > 0 || user.passkey !== null || user.isOtpEnabled;
  return !canSignIn && !user.isAnonymous && standing === 'unverified';
}
