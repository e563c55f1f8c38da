import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { expectOk } from './expectations.ts';
import { type Cases, unrelated, upTo } from './kinds.ts';
import { type OldAdminApp, page, type World } from './world.ts';

const oldAdminApp = (world: World) => world.adminApp() as unknown as OldAdminApp;

/** An email that a server asked for, as the outbox lists it. */
async function sentLater(world: World) {
  const app = world.adminApp();
  const user = await app.createUser({ primaryEmail: newEmail(), primaryEmailVerified: true });
  const scheduledAt = new Date(Date.now() + 3_600_000);
  await app.sendEmail({ userIds: [user.id], subject: 'News', html: '<p>Hello</p>', scheduledAt });
  const { items } = await app.listOutboxEmails({ limit: 100 });
  const email = items.find(({ to }) => 'userId' in to && to.userId === user.id);
  if (!email) return expect.fail('the outbox lacks the email');
  return { app, email };
}

const outboxCases: Cases = {
  listOutboxEmails: async (world) => {
    const { app, email } = await sentLater(world);
    const first = await app.listOutboxEmails({ limit: 1 });
    expect(first.items).toHaveLength(1);
    return email;
  },
  getOutboxEmail: async (world) => {
    const { app, email } = await sentLater(world);
    expect(await app.getOutboxEmail(email.id)).toMatchObject({ id: email.id, subject: 'News' });
  },
  updateOutboxEmail: async (world) => {
    const { app, email } = await sentLater(world);
    const scheduledAtMillis = Date.now() + 7_200_000;
    const updated = await app.updateOutboxEmail(email.id, { scheduledAtMillis });
    expect(updated.scheduledAt.getTime()).toBe(scheduledAtMillis);
  },
  pauseOutboxEmail: async (world) => {
    const { app, email } = await sentLater(world);
    expect(await app.pauseOutboxEmail(email.id)).toMatchObject({ status: 'paused', isPaused: true });
  },
  unpauseOutboxEmail: async (world) => {
    const { app, email } = await sentLater(world);
    await app.pauseOutboxEmail(email.id);
    expect(await app.unpauseOutboxEmail(email.id)).toMatchObject({ isPaused: false });
  },
  cancelOutboxEmail: async (world) => {
    const { app, email } = await sentLater(world);
    expect(await app.cancelOutboxEmail(email.id)).toMatchObject({ status: 'skipped' });
  },
};

export const emailCases: Cases = {
  ...outboxCases,
  listSentEmails: async (world) => {
    expect(await world.adminApp().listSentEmails()).toEqual(expect.any(Array));
  },
  sendTestEmail: async (world) => {
    const server = { host: '127.0.0.1', port: world.smtpPort, username: 'u', password: 'p' };
    const emailConfig = { ...server, senderEmail: 'app@example.com', senderName: 'App' };
    expectOk(await world.adminApp().sendTestEmail({ recipientEmail: newEmail(), emailConfig }));
    const closed = { ...emailConfig, port: 1 };
    const failed = await world.adminApp().sendTestEmail({ recipientEmail: newEmail(), emailConfig: closed });
    expect(failed).toMatchObject({ status: 'error', error: { errorMessage: expect.any(String) } });
  },
  listEmailTemplates: async (world) => {
    expect((await world.adminApp().listEmailTemplates()).length).toBeGreaterThan(0);
  },
  updateEmailTemplate: upTo(
    '2.8.3',
    async (world) => {
      const app = oldAdminApp(world);
      await app.updateEmailTemplate('magic_link', { subject: 'Sign in' });
      const changed = expect.objectContaining({ type: 'magic_link', subject: 'Sign in', isDefault: false });
      expect(await app.listEmailTemplates()).toContainEqual(changed);
    },
    unrelated('email design in TSX'),
  ),
  resetEmailTemplate: async (world) => {
    const app = oldAdminApp(world);
    await app.updateEmailTemplate('password_reset', { subject: 'Reset' });
    await app.resetEmailTemplate('password_reset');
    const initial = expect.objectContaining({ type: 'password_reset', isDefault: true });
    expect(await app.listEmailTemplates()).toContainEqual(initial);
  },
  sendSignInInvitationEmail: async (world) => {
    const email = newEmail();
    await world.adminApp().sendSignInInvitationEmail(email, page('sign-in'));
    expect(await world.countEmailsTo(email)).toBe(1);
  },
};
