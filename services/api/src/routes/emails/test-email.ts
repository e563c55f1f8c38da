import { recordTestEmail } from '@gatebook/commands/email/email';
import { TestEmail, TestEmailResult } from '@gatebook/contract/emails';
import type { EmailError, Sender } from '@gatebook/domain/email/events';
import type { RenderedEmail } from '@gatebook/mail/render';
import { ownServer, type SmtpServer } from '@gatebook/mail/sender';
import { MailError } from '@gatebook/mail/smtp';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { mailErrorText } from './mail-error-text.ts';
import { hideSharedServer } from './wire.ts';

/** (protocol, projects §8) */
const giveUpMs = 10_000;
const subject = 'Test email from Gatebook';
const text = 'This mail server works: Gatebook sent this mail through it.';

export const testEmailRoute = defineRoute({
  method: 'POST',
  path: '/internal/send-test-email',
  access: adminOnly,
  limit: 'test-email',
  tags: ['Emails'],
  summary: 'Test a mail server',
  description:
    'Sends one email through the given mail server, with a timeout of ten seconds. Returns 200 whether it succeeds or fails.',
  body: TestEmail,
  response: { 200: TestEmailResult },
  isTranslated: true,
  handle: async ({ deps, context, body, language }) => {
    const { recipient_email: to, email_config } = body;
    const { sender_name: senderName, sender_email: senderEmail, ...server } = email_config;
    const { host, port, username } = server;
    const sender: Sender = { type: 'standard', host, port, username, senderName, senderEmail };
    const html = `<!doctype html><html lang="en"><head><title>${subject}</title></head><body><p>${text}</p></body></html>`;
    const { response, error } = await tryToSend(deps, ownServer(server), sender, { to, subject, html, text });
    const { position } = await recordTestEmail(deps, context, { to, subject, sender, response, error });
    return { position, body: toResult(language, error, sender) };
  },
});

export function toResult(language: TextLanguage, error: EmailError | null, sender: Sender): TestEmailResult {
  if (error === null) return { success: true };
  return { success: false, error_message: mailErrorText(language, hideSharedServer(error, sender).message) };
}

type Mail = RenderedEmail & { to: string };

/** Sends an email once, within the time of (protocol, projects §8). */
export async function tryToSend(
  { mailer, newId }: Deps,
  server: SmtpServer,
  { senderName, senderEmail }: Sender,
  mail: Mail,
): Promise<{ response: string; error: EmailError | null }> {
  const messageId = `<${newId()}@${senderEmail.split('@').at(-1) ?? 'gatebook'}>`;
  const from = { name: senderName, address: senderEmail };
  try {
    const { response } = await mailer.send(server, { messageId, from, ...mail }, { timeoutMs: giveUpMs });
    return { response, error: null };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { type, message, canRetry, rawError } = error;
    return { response: '', error: { type, message, canRetry, rawError } };
  }
}
