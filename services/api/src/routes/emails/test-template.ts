import { recordTestEmail } from '@gatebook/commands/email/email';
import { findActiveProject } from '@gatebook/commands/project/project';
import { EmailPreviewRequest, TemplateTestResult } from '@gatebook/contract/emails';
import type { EmailError } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { internalProjectId } from '@gatebook/domain/project/decide';
import { noServerMessage, resolveSender } from '@gatebook/mail/sender';
import { findUser } from '@gatebook/readmodel/users/queries';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { params, renderSample } from './templates.ts';
import { toResult, tryToSend } from './test-email.ts';

function noServer(projectName: string): EmailError {
  const message = noServerMessage(projectName);
  return { type: 'UNKNOWN', message, canRetry: false, rawError: message };
}

/** Sends a template, stored or not, to the member who asks. */
export const testTemplateRoute = defineRoute({
  method: 'POST',
  path: '/internal/email-templates/:type/test',
  bodySize: 'large',
  access: adminOnly,
  limit: 'test-email',
  errors: ['EMAIL_CONTENT_INVALID', 'EMAIL_TEST_RECIPIENT_MISSING', 'PROJECT_NOT_FOUND'],
  tags: ['Emails'],
  summary: 'Test an email template',
  description:
    'Sends the stored template, or the subject and content in the body, with sample values to the signed-in member through the mail server of the project. Returns 200 whether it succeeds or fails.',
  params,
  body: EmailPreviewRequest,
  response: { 200: TemplateTestResult },
  isTranslated: true,
  handle: async ({ deps, caller, context, params, body, language }) => {
    const to = await findRecipient(deps, caller);
    const rendered = await renderSample(deps, caller, params.type, body);
    const project = await findActiveProject(deps, caller.projectId);
    if (!project) return reject('PROJECT_NOT_FOUND', { project_id: caller.projectId });
    const { config, secrets, details } = project;
    const { server, sender } = resolveSender({ displayName: details.displayName, config, secrets }, deps.sharedMail);
    const { response, error } =
      server === null
        ? { response: '', error: noServer(details.displayName) }
        : await tryToSend(deps, server, sender, { to, ...rendered });
    const { position } = await recordTestEmail(deps, context, {
      to,
      subject: rendered.subject,
      sender,
      response,
      error,
    });
    return { position, body: { ...toResult(language, error, sender), recipient_email: to } };
  },
});

/** @throws DomainError EMAIL_TEST_RECIPIENT_MISSING, also for callers with a key instead of an account */
async function findRecipient({ db }: Deps, { owner }: Caller): Promise<string> {
  const user = owner && (await findUser(db, internalProjectId, owner.id));
  return user?.primaryEmail ?? reject('EMAIL_TEST_RECIPIENT_MISSING');
}
