import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { emailedCodeLifeMs } from '../code/code-email.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { requestEmail } from '../email/email.ts';
import { transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';

type Invitation = { email: string; callbackUrl: string; project: ProjectFacts };

/**
 * Emails a link to the page where the recipient can sign in. The link contains no code: it gives access to nothing.
 * @throws DomainError REDIRECT_URL_NOT_WHITELISTED
 */
export async function inviteToSignIn(
  deps: WriteDeps,
  ctx: Context,
  { email: recipient, callbackUrl, project }: Invitation,
): Promise<CommandResult> {
  if (!isTrustedUrl(callbackUrl, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');
  const [emailId, at] = [deps.newId(), deps.now()];
  const variables = { projectDisplayName: project.displayName, signInInvitationLink: new URL(callbackUrl).href };
  const expiresAt = new Date(Date.parse(at) + emailedCodeLifeMs).toISOString();
  const language = ctx.language ?? null;
  const about = { emailId, emailType: 'sign_in_invitation', recipient, userId: null } as const;
  const email = { ...about, variables, language, expiresAt };
  const { position } = await transact(deps, ctx, async (work) => requestEmail(work, email, at));
  return { position };
}
