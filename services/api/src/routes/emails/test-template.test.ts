import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { createProject, expectPlain, type OwnedProject, senderOf } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const path = '/internal/email-templates/magic_link/test';
const server = {
  type: 'standard',
  host: '127.0.0.1',
  username: 'shop',
  password: 'secret',
  sender_name: 'Shop',
  sender_email: 'shop@example.com',
};
const content = {
  root: { type: 'EmailLayout', data: { childrenIds: ['a'] } },
  a: { type: 'Text', data: { props: { text: 'Psst: {{ otp }}' } } },
};

const asOwner = (of: OwnedProject, body: object, headers: Record<string, string> = {}, sendTo = send) =>
  sendTo('POST', path, {
    projectId: of.projectId,
    access: 'admin',
    headers: {
      'x-stack-super-secret-admin-key': '',
      'x-stack-admin-access-token': of.owner.accessToken,
      ...headers,
    },
    body,
  });
const read = async (of: OwnedProject, path: string) => (await send('GET', path, { ...of, access: 'admin' })).body;

describe('a test of a template', () => {
  test('goes to the owner who asks, as edited and not stored, and is listed', async () => {
    const smtp = await startSmtpServer({
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(null, { user: 'shop' }),
    });
    try {
      const tested = await createProject(send, { config: { email_config: { ...server, port: smtp.port } } });
      const answer = await asOwner(tested, { subject: 'Try {{ otp }}', content });
      const { email } = tested.owner;
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 200,
        body: { success: true, recipient_email: email },
      });
      expect(smtp.received).toMatchObject([{ from: 'shop@example.com', to: [email] }]);
      expect(smtp.received[0]?.raw).toContain('Psst: A1B2C3');
      expect((await read(tested, '/internal/emails')).items).toMatchObject([
        { subject: 'Try A1B2C3', to: [email], error: null },
      ]);
      expect((await read(tested, '/email-templates/magic_link')).is_default).toBe(true);
    } finally {
      await smtp.close();
    }
  });

  test('says why it was not sent', async () => {
    const { body } = await asOwner(project, {});
    expect(body).toMatchObject({ success: false, error_message: expect.stringMatching(/^No SMTP server/) });
  });

  test('names nothing of the shared server, in the language of the request', async () => {
    const sharedMail = { url: 'smtp://127.0.0.1:1', senderEmail: 'gate@example.com' };
    const other = await startTestApi({ overrides: () => ({ sharedMail }) });
    const tested = await createProject(senderOf(other));
    const answer = await asOwner(tested, {}, { 'accept-language': 'de' }, senderOf(other));
    expect(answer.body.error_message).toBe(
      'Die Verbindung zu (verborgen) wurde abgelehnt. Prüfen Sie Host und Port und ob der Server läuft.',
    );
    await other.close();
  });

  test('is rejected for invalid content, and for callers without an account', async () => {
    expectPlain(await asOwner(project, { content: { x: {} } }), 400);
    expectPlain(await send('POST', path, { ...project, access: 'admin', body: {} }), 400);
  });
});
