import { reject } from '@gatebook/domain/errors';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import { anonymousName } from '@gatebook/domain/user/sign-in-methods';
import type { ActiveUser } from '@gatebook/domain/user/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { generateSession, startSession } from '../session/session.ts';
import { addUser, emptyProfile } from '../user/new-user.ts';
import type { SignedIn } from './sign-in.ts';

/**
 * Signs up a user without address or sign-in method (protocol, auth §6). @throws DomainError
 * ANONYMOUS_ACCOUNTS_NOT_ENABLED
 */
export async function signUpAnonymously(
  deps: WriteDeps,
  ctx: Context,
  project: ProjectFacts & { settings: Pick<ProjectSettings, 'anonymousSignUpEnabled'> },
): Promise<CommandResult<SignedIn>> {
  if (!project.settings.anonymousSignUpEnabled) reject('ANONYMOUS_ACCOUNTS_NOT_ENABLED');
  const [userId, session, at] = [deps.newId(), generateSession(deps), deps.now()];
  const { result, position } = await transact(deps, ctx, async (work) => {
    const user = addUser(work, project, {
      ...emptyProfile,
      userId,
      displayName: anonymousName,
      isAnonymous: true,
      method: 'anonymous',
      email: null,
      passwordHash: null,
      isOtpEnabled: false,
      at,
    });
    const created = user.state as ActiveUser;
    startSession(work, session, { user: created, userRevision: user.revision, method: 'anonymous', at });
    return created;
  });
  return { userId, user: result, isNewUser: true, ...session, position };
}
