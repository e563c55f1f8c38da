import { requestMailing } from '@gatebook/commands/mailing/mailing';
import { createProject } from '@gatebook/commands/project/project';
import { sendSignInCode } from '@gatebook/commands/sign-in/sign-in-code';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, signUp, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { createMailer } from '@gatebook/mail/smtp';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { startReadSide } from '@gatebook/readmodel/testing/read-side';
import { expect, test } from 'vitest';
import { deliverEmail } from './jobs/deliver-email.ts';
import { dropEndedEmails } from './jobs/drop-ended-emails.ts';
import { closeEndedMailings, expandMailing } from './jobs/expand-mailing.ts';
import { createEraser } from './reactors/erase-subjects.ts';
import { createSecurityNotices } from './reactors/security-notices.ts';

test('every event that the worker writes names the event that caused it, and shares its correlation ID', async () => {
  const side = await startReadSide([mainGroup]);
  const mailer = createMailer({ timeoutMs: 100 });
  const world = await createWorld(side);
  const { deps: write } = world;
  const reached = async () => expect(await side.readModels.reached(await side.store.head())).toBe('reached');
  const { projectId } = await createProject(write, contextOf('internal'), {
    displayName: 'Shop',
    ownerUserId: write.newId(),
  });
  const ctx = contextOf(projectId);
  const { userId } = await signUp(write, ctx, { email: 'ann@example.com', password: 'correct horse' });
  await sendSignInCode(write, ctx, { email: 'bob@example.com', callbackUrl, project: testProject });
  const { emailId } = await lastMail(world);
  await updateUser(write, ctx, { userId, project: testProject, primaryEmailVerified: true });
  const change = { userId, project: testProject, password: 'battery staple' };
  await updateUser(write, { ...ctx, requestId: 'change' }, change);
  const content = { subject: 'News', html: '<p>Hi</p>', variables: {} };
  const mailing = { category: 'marketing', templateType: null, content, userIds: null, scheduledAt: null } as const;
  const { mailingId } = await requestMailing(write, ctx, mailing);
  await reached();
  const start = await side.store.head();

  const forget = async () => undefined;
  const eraser = createEraser({
    forgetWebhooks: async () => undefined,
    write,
    activity: { forgetUser: forget, forgetTeam: forget, forgetProject: forget },
    idempotencyRecords: { forget },
    codeKeys: { add: forget },
  });
  const notices = createSecurityNotices({ write: { ...write, publicUrl: 'http://localhost' }, ...side });
  const react = async () => {
    for (const event of await side.store.readAll(0n, 1_000)) {
      await notices.react(event);
      await eraser.react(event);
    }
  };
  await react();
  await expandMailing({ write, ...side }, { mailingId });
  // Without a mail server, sending fails.
  const limits = { take: async () => 'yes' as const, forgetBefore: forget };
  await deliverEmail(
    { write, mailer, limits, shared: null, publicUrl: 'http://localhost', findLanguage: async () => null },
    { emailId },
  );
  await deleteUser(write, ctx, { userId });
  await react();
  await reached();
  await dropEndedEmails({ db: side.db, write, logger }, { after: undefined, limit: 100 }, new AbortController().signal);
  await reached();
  await closeEndedMailings(
    { db: side.db, write, logger },
    { after: undefined, limit: 100 },
    new AbortController().signal,
  );

  const all = await side.store.readAll(0n, 1_000);
  const written = all.filter(({ position, metadata }) => position > start && metadata.actor.kind === 'system');
  expect([...new Set(written.map(({ type }) => type))].sort()).toEqual(expectedTypes);
  const byId = new Map(all.map((event) => [event.id, event]));
  for (const { type, position, metadata } of written) {
    const cause = byId.get(metadata.causationId ?? '');
    expect(cause, `the cause of ${type}`).toBeDefined();
    expect(cause?.position).toBeLessThan(position);
    expect(metadata.correlationId).toBe(cause?.metadata.correlationId);
  }
  mailer.close();
  await side.close();
});

const expectedTypes = [
  'CodeIssued',
  'EmailDropped',
  'EmailFailed',
  'EmailRequested',
  'MailingClosed',
  'MailingEmailsRequested',
  'UserErased',
];
