import { codeDecider } from '@gatebook/domain/code/decide';
import { reject } from '@gatebook/domain/errors';
import { internalProjectId } from '@gatebook/domain/project/decide';
import type { ActiveProject } from '@gatebook/domain/project/state';
import { hasWildcard } from '@gatebook/domain/project/trusted-domains';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { codeIdOf, presentCode, useCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { sendResetCode } from '../password/password-reset.ts';
import { findActiveProject } from '../project/project.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';

const purpose = 'activity_report';
type Reported = { position: bigint | null; isResetEmailSent: boolean };

/**
 * Handles the link of a security notice: ends all sessions of the user, and removes the password if the address of the
 * notice can reset it, for which a reset email is sent. `publicUrl` is the base of Gatebook's own pages, which
 * `internal` uses.
 * @throws DomainError the four errors of a code; the code itself names its project
 */
export async function reportActivity(
  deps: WriteDeps,
  request: Omit<Context, 'projectId'>,
  { code, publicUrl }: { code: string; publicUrl: string },
): Promise<CommandResult<Reported>> {
  const ctx = { ...request, projectId: await findProjectId(deps, code) };
  const presented = await presentCode(deps, ctx, { code, purpose });
  const { payload, recipient: address } = presented.issued;
  const project = await findActiveProject(deps, ctx.projectId);
  if (address === null || !project) return reject('VERIFICATION_CODE_NOT_FOUND');
  const at = deps.now();
  const { result: canReset, position } = await transact(deps, ctx, async (work) => {
    const user = await loadUser(work, String(payload.userId), 'VERIFICATION_CODE_NOT_FOUND');
    const { state } = user;
    const hasPassword = state.status === 'active' && state.hasPassword;
    await useCode(work, presented);
    user.decide({ type: 'ReportActivity', address, at });
    return hasPassword && signsInWith(state, address);
  });
  const callbackUrl = findResetPage(project, publicUrl);
  if (!canReset || callbackUrl === null) return { position, isResetEmailSent: false };
  const { details, config, permissions } = project;
  // A separate command: if it fails, the user can still request a reset on the sign-in page of the app.
  const facts = { displayName: details.displayName, config, permissions };
  const reset = await sendResetCode(deps, ctx, { email: address, callbackUrl, project: facts });
  return { position: reset.position ?? position, isResetEmailSent: reset.position !== null };
}

/** Stream IDs of these codes do not depend on the project, so the link does not name it. */
async function findProjectId(deps: WriteDeps, code: string): Promise<string> {
  const codeId = codeIdOf(deps, { projectId: '' }, purpose, code.toLowerCase());
  const { state } = await readState(deps.store, codeDecider, streamOf.code(codeId));
  return state.status === 'absent' ? '' : state.projectId;
}

/** URL of the reset page on the first trusted domain without wildcards; null if there is none or passwords are off. */
function findResetPage({ projectId, config }: ActiveProject, publicUrl: string): string | null {
  if (!config.credentialEnabled) return null;
  const app = config.domains.find(({ domain }) => !hasWildcard(domain));
  const handler =
    projectId === internalProjectId
      ? `${publicUrl}/handler`
      : app && `${app.domain.replace(/\/$/, '')}${app.handlerPath.replace(/\/$/, '')}`;
  const page = handler && `${handler}/password-reset`;
  return page && isTrustedUrl(page, config) ? page : null;
}
