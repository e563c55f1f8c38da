import { completeOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { TokensView } from '@gatebook/contract/auth';
import { CompleteSetup } from '@gatebook/contract/setup';
import { reject } from '@gatebook/domain/errors';
import { clientAndUp } from '../../access.ts';
import { signedOutContext } from '../../context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { codeErrors, newPasswordErrors } from '../auth/errors.ts';
import { answerTokens } from '../auth/tokens-of-session.ts';

/** Creates the first owner with the link that the first start printed. */
export const completeSetupRoute = defineRoute({
  method: 'POST',
  path: '/internal/setup',
  access: clientAndUp,
  session: 'any',
  limit: 'setup',
  errors: ['EXPECTED_INTERNAL_PROJECT', ...newPasswordErrors, 'SETUP_ALREADY_COMPLETED', ...codeErrors],
  tags: ['Setup'],
  summary: 'Create the first owner',
  description: 'Redeems the setup link that the first start prints.',
  body: CompleteSetup,
  response: { 200: TokensView },
  handle: async ({ deps, request, caller, body }) => {
    if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
    const { token, email, password, display_name } = body;
    const displayName = display_name || null;
    const context = signedOutContext(request, caller);
    const started = await completeOwnerSetup(deps, context, { token, email, password, displayName });
    await deps.projects.forget('internal', started.position);
    return answerTokens(deps, request, started);
  },
});
