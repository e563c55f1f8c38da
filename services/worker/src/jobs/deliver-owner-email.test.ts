import { sendWebhookNotice } from '@gatebook/commands/email/webhook-notice';
import { inviteToProject } from '@gatebook/commands/project/invitations';
import { updateProject } from '@gatebook/commands/project/project';
import { seedInternalProject } from '@gatebook/commands/project/seed';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { testProject } from '@gatebook/commands/testing/people';
import { contextOf } from '@gatebook/commands/testing/world';
import { createUser } from '@gatebook/commands/user/create-user';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { startDelivery } from './testing/delivery.ts';

const { withServer, close: closeAll } = await startDelivery();
afterAll(closeAll);

describe('an invitation to administer a project', () => {
  test('is sent with the mail settings of internal, not through a server that developers of the project set', async () => {
    const { deps, ctx, port, deliver, received, eventsOf, close } = await withServer();
    const keys = { publishableClientKey: 'pck_a', secretServerKey: 'ssk_b', superSecretAdminKey: 'sak_c' };
    await seedInternalProject(deps, { keys, isSignUpOpen: false, dashboardUrl: 'https://auth.example.com' });
    const developers = await startSmtpServer();
    const own = {
      host: '127.0.0.1',
      port: developers.port,
      username: '',
      senderName: 'Shop',
      senderEmail: 's@shop.test',
    };
    await updateProject(deps, ctx, { config: { emailConfig: { type: 'standard', ...own } } });
    const invite = async () => {
      const dashboardUrl = 'https://auth.example.com';
      const invitation = { email: 'cy@example.com', role: 'owner', dashboardUrl, projectDisplayName: 'Shop' } as const;
      await inviteToProject(deps, ctx, invitation);
      const emailId = (await eventsOf('EmailRequested')).at(-1)?.data.emailId ?? '';
      await deliver(emailId);
    };
    await invite();
    expect(received).toMatchObject([{ from: 'auth@example.com', to: ['cy@example.com'] }]);
    const ofInternal = { ...own, port, senderEmail: 'team@internal.test' };
    await updateProject(deps, contextOf('internal'), { config: { emailConfig: { type: 'standard', ...ofInternal } } });
    await invite();
    expect(received).toMatchObject([{}, { from: 'team@internal.test' }]);
    expect(developers.received).toEqual([]);
    await Promise.all([close(), developers.close()]);
  });
});

describe('an email to an owner', () => {
  const keys = { publishableClientKey: 'pck_a', secretServerKey: 'ssk_b', superSecretAdminKey: 'sak_c' };
  const dashboardUrl = 'https://auth.example.com';
  const readable = (raw = '') => raw.replace(/=\r\n/g, '').replaceAll('=C3=BC', 'ü');

  test('about a webhook is in the language that the owner used last', async () => {
    const { deps, email, projectId, deliver, received, eventsOf, close } = await withServer();
    await seedInternalProject(deps, { keys, isSignUpOpen: false, dashboardUrl });
    const owner = {
      project: testProject,
      primaryEmail: email,
      primaryEmailVerified: true,
      primaryEmailAuthEnabled: true,
    };
    const { userId } = await createUser(deps, contextOf('internal'), owner);
    const notice = { projectId, endpointId: 'ep_1', url: 'https://hooks.example.com/x', ownerIds: [userId] };
    const sendNotice = async (kind: 'gone' | 'warning', lastUsed: string | null) => {
      await sendWebhookNotice({ ...deps, publicUrl: dashboardUrl }, { ...notice, kind }, `${lastUsed}`);
      const asked: unknown[] = [];
      const findLanguage = async (...whose: [string, string]) => {
        asked.push(whose);
        return lastUsed;
      };
      await deliver((await lastMail({ eventsOf })).emailId, { findLanguage });
      expect(asked).toEqual([['internal', userId]]);
      return readable(received.at(-1)?.raw);
    };
    const german = await sendNotice('gone', 'de-DE');
    expect(german).toContain('Subject: Webhooks von Shop wurden deaktiviert');
    expect(german).toContain('Guten Tag');
    expect(german).toContain('(Status 410)');
    expect(await sendNotice('warning', null)).toContain('Subject: Webhooks of Shop are failing');
    await close();
  });

  test('that invites to a project is in the language of who invites, with the role', async () => {
    const { deps, ctx, email, deliver, received, eventsOf, close } = await withServer();
    await seedInternalProject(deps, { keys, isSignUpOpen: false, dashboardUrl });
    const invitation = { email, role: 'owner', dashboardUrl, projectDisplayName: 'Shop' } as const;
    const inviteIn = async (language: 'de-DE' | null) => {
      await inviteToProject(deps, { ...ctx, language }, invitation);
      await deliver((await lastMail({ eventsOf })).emailId);
      return readable(received.at(-1)?.raw);
    };
    const german = await inviteIn('de-DE');
    expect(german).toContain('Subject: Einladung, Shop zu verwalten');
    expect(german).toContain('mit der Rolle Eigentümer in das Projekt');
    expect(await inviteIn(null)).toContain('with the role owner.');
    await close();
  });
});
