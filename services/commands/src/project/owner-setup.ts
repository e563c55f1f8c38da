import { reject } from '@gatebook/domain/errors';
import { internalProjectId, projectDecider } from '@gatebook/domain/project/decide';
import type { ProjectState } from '@gatebook/domain/project/state';
import { isCodeValid, issueCode, presentCode, useCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { checkChosenPassword } from '../password/chosen-password.ts';
import { preparePasswordUser } from '../password/password.ts';
import { rejectTakenEmail } from '../reservation/email.ts';
import { generateSession, startSession } from '../session/session.ts';
import { registerUser, type SignedIn } from '../sign-in/sign-in.ts';
import { streamOf } from '../streams.ts';
import { findInactiveOwners } from './ownership.ts';
import { startContext } from './seed.ts';

/** Every start without an owner issues a new link, so a day is enough. */
const lifeMs = 24 * 60 * 60 * 1000;

/** Whether project `internal` exists and has no owner who can sign in. */
export async function isOwnerMissing(deps: WriteDeps): Promise<boolean> {
  const { state } = await readState(deps.store, projectDecider, streamOf.project(internalProjectId));
  return state.status === 'active' && !(await hasOwner(deps, state));
}

/** Issues a one-time token to create the first owner; null when there is an owner or no project `internal` yet. */
export async function issueOwnerSetup(deps: WriteDeps): Promise<{ token: string } | null> {
  if (!(await isOwnerMissing(deps))) return null;
  const { code } = await issueCode(deps, startContext(deps), { purpose: 'owner_setup', lifeMs });
  return { token: code };
}

/** Whether the token can create the first owner. Decides whether the form is shown. */
export async function isOwnerSetupOpen(deps: WriteDeps, token: string): Promise<boolean> {
  if (!(await isOwnerMissing(deps))) return false;
  return isCodeValid(deps, startContext(deps), { code: token, purpose: 'owner_setup' });
}

/**
 * Redeems the token: signs up a user of `internal` who owns `internal`. Of concurrent requests, one succeeds.
 * @throws DomainError the four errors of a code, SETUP_ALREADY_COMPLETED, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
 * SCHEMA_ERROR, USER_EMAIL_ALREADY_EXISTS: in this order; only the errors of the code itself use the token up
 */
export async function completeOwnerSetup(
  deps: WriteDeps,
  ctx: Context,
  input: { token: string; email: string; password: string; displayName: string | null },
): Promise<CommandResult<SignedIn>> {
  if (ctx.projectId !== internalProjectId) reject('EXPECTED_INTERNAL_PROJECT');
  const presented = await presentCode(deps, ctx, { code: input.token, purpose: 'owner_setup' });
  const { state } = await readState(deps.store, projectDecider, streamOf.project(internalProjectId));
  if (state.status !== 'active' || (await hasOwner(deps, state))) return reject('SETUP_ALREADY_COMPLETED');
  const { details, config, permissions, settings } = state;
  const project = { displayName: details.displayName, config, permissions };
  await checkChosenPassword(input.password, settings);
  await rejectTakenEmail(deps, ctx.projectId, input.email);
  const user = await preparePasswordUser(deps, ctx, { ...input, method: 'setup' });
  const session = generateSession(deps);
  const { result, position } = await transact(deps, ctx, async (work) => {
    // Comes first, so that no prefix of these writes leaves anything behind while the token still works.
    await useCode(work, presented);
    const internal = await work.load(projectDecider, streamOf.project(internalProjectId));
    const { gone, awaitingDeletion } = await findInactiveOwners(deps, internal.state, user.at);
    for (const userId of gone) internal.decide({ type: 'RemoveOwner', userId, at: user.at });
    // Comes before the user: an owner that was never created has no effect, but a user without ownership would remain.
    internal.decide({ type: 'AddFirstOwner', userId: user.userId, awaitingDeletion, at: user.at });
    const { user: owner, revision } = await registerUser(work, { ...user, project, anonymousUserId: null });
    const signIn = { user: owner, userRevision: revision, method: 'setup', at: user.at } as const;
    startSession(work, session, signIn);
    return owner;
  });
  return { userId: user.userId, user: result, isNewUser: true, ...session, position };
}

async function hasOwner(deps: WriteDeps, state: ProjectState): Promise<boolean> {
  const { gone, awaitingDeletion } = await findInactiveOwners(deps, state, deps.now());
  return state.status === 'active' && state.owners.size > gone.length + awaitingDeletion.length;
}
