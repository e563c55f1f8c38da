import { createProject } from '@gatebook/commands/project/project';
import { sendSignInCode } from '@gatebook/commands/sign-in/sign-in-code';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { createMailer } from '@gatebook/mail/smtp';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { testDatabase } from '@gatebook/runtime/testing/database';
import type { SMTPServerOptions } from 'smtp-server';
import { deliverEmail } from '../deliver-email.ts';
import { createEmailLimits, migrateEmailLimits } from '../email-limits.ts';

/** What emails of several projects are delivered with. */
export async function startDelivery() {
  const database = await testDatabase();
  await migrateEmailLimits(database.pool);
  const mailer = createMailer({ timeoutMs: 2_000 });
  let count = 0;

  /** A project with its log in memory, a real SMTP server and the real table of limits. */
  async function withServer(options: SMTPServerOptions = {}) {
    count += 1;
    const email = `Ann-${count}@example.com`;
    const server = await startSmtpServer(options);
    const world = await createWorld();
    const { deps } = world;
    const ownerUserId = deps.newId();
    const { projectId } = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
    const ctx = contextOf(projectId);
    const shared = { url: server.url, senderEmail: 'auth@example.com' };
    const publicUrl = 'https://auth.example.com';
    const findLanguage = async () => null;
    const delivery = { write: deps, mailer, limits: createEmailLimits(database.pool), shared, publicUrl, findLanguage };
    const ask = async (address = email) => {
      await sendSignInCode(deps, ctx, { email: address, callbackUrl, project: testProject });
      return lastMail(world);
    };
    const deliver = (emailId: string, with_: object = {}) => deliverEmail({ ...delivery, ...with_ }, { emailId });
    return { ...world, ...server, email, ctx, projectId, ask, deliver };
  }

  return {
    database,
    withServer,
    close: () => {
      mailer.close();
      return database.close();
    },
  };
}
