import { retryEmail } from '@gatebook/commands/email/email';
import { sendResetCode } from '@gatebook/commands/password/password-reset';
import { deleteProject } from '@gatebook/commands/project/delete-project';
import { changeEmailTemplate, resetEmailTemplate, updateProject } from '@gatebook/commands/project/project';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { callbackUrl, signUp, testProject } from '@gatebook/commands/testing/people';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import { smtpRejection } from '@gatebook/mail/testing/smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmailLimits } from './email-limits.ts';
import { startDelivery } from './testing/delivery.ts';

const { database, withServer, close: closeAll } = await startDelivery();
afterAll(closeAll);

const week = 7 * 24 * 60 * 60_000;

describe('an email', () => {
  test('an email reaches its recipient, with link and code on separate lines, and is recorded', async () => {
    const { email, ask, deliver, received, eventsOf, close } = await withServer();
    const mail = await ask();
    expect(await deliver(mail.emailId)).toBe('done');
    expect(received).toMatchObject([{ from: 'auth@example.com', to: [email] }]);
    const lines = received[0]?.raw.replace(/=\r\n/g, '').replaceAll('=3D', '=').split('\r\n') ?? [];
    expect(lines).toEqual(expect.arrayContaining([mail.link, mail.variables?.otp]));
    expect(lines).toContain(`Message-ID: <${mail.emailId}@example.com>`);
    expect(lines).toContain(`Subject: ${mail.variables?.otp} is your sign-in code for Shop`);
    expect((await eventsOf('EmailSent')).map(({ data }) => data)).toMatchObject([
      // The recorded subject must not contain the code.
      {
        to: email,
        attempt: 1,
        subject: '*** is your sign-in code for Shop',
        emailType: 'magic_link',
        sender: { type: 'shared', senderName: 'Shop' },
      },
    ]);
    await close();
  });

  test('an email is in the language of its request, else in the one that the user used last', async () => {
    const { deps, ctx, email, projectId, deliver, received, close, ...world } = await withServer();
    await signUp(deps, ctx, { email, password: 'correct horse' });
    const askIn = async (language: 'de-DE' | null) => {
      await sendResetCode(deps, { ...ctx, language }, { email, callbackUrl, project: testProject });
      return (await lastMail(world)).emailId;
    };
    const sendIn = async (language: 'de-DE' | null, lastUsed: string | null) => {
      await deliver(await askIn(language), { findLanguage: async () => lastUsed });
      return received.at(-1)?.raw ?? '';
    };
    expect(await sendIn('de-DE', 'fr-FR')).toContain('Guten Tag');
    expect(await sendIn(null, 'fr-FR')).toContain('Bonjour');
    // Of a later release.
    expect(await sendIn(null, 'tlh')).toContain('We received a request');
    await changeEmailTemplate(deps, ctx, { templateType: 'password_reset', language: null, subject: 'Mine' });
    const edited = await sendIn('de-DE', 'fr-FR');
    expect(edited).toContain('Subject: Mine');
    expect(edited).toContain('We received a request');
    await close();
  });

  test('an edited template is sent in the language of the reader, else its default version', async () => {
    const { deps, ctx, email, deliver, received, eventsOf, close } = await withServer();
    await signUp(deps, ctx, { email, password: 'correct horse' });
    const textOf = (text: string) => ({
      root: { type: 'EmailLayout', data: { childrenIds: ['text'] } },
      text: { type: 'Text', data: { props: { text } } },
    });
    const edit = (language: 'de-DE' | 'en-US' | null, subject: string, text: string) =>
      changeEmailTemplate(deps, ctx, { templateType: 'password_reset', language, subject, content: textOf(text) });
    const sendIn = async (language: 'de-DE' | 'fr-FR' | null) => {
      await sendResetCode(deps, { ...ctx, language }, { email, callbackUrl, project: testProject });
      await deliver((await lastMail({ eventsOf })).emailId);
      return received.at(-1)?.raw ?? '';
    };
    await edit('de-DE', 'Passwort', 'Hier entlang');
    const german = await sendIn('de-DE');
    expect(german).toContain('Subject: Passwort');
    expect(german).toContain('Hier entlang');
    expect(german.replace(/=\r\n/g, '')).toContain('lang=3D"de-DE"');
    expect(await sendIn('fr-FR')).toContain('Bonjour');
    expect(await sendIn(null)).toContain('We received a request');
    await edit('en-US', 'Password', 'This way');
    expect(await sendIn(null)).toContain('Subject: Password');
    await edit(null, 'Wachtwoord', 'Deze kant op');
    expect(await sendIn('fr-FR')).toContain('Deze kant op');
    expect(await sendIn(null)).toContain('Subject: Wachtwoord');
    expect(await sendIn('de-DE')).toContain('Hier entlang');
    await resetEmailTemplate(deps, ctx, { templateType: 'password_reset', language: null });
    expect(await sendIn('fr-FR')).toContain('Bonjour');
    expect(await sendIn('de-DE')).toContain('Subject: Passwort');
    await close();
  });

  test('an email is sent once, and its link is erased afterwards', async () => {
    const { ask, deliver, received, eventsOf, close } = await withServer();
    const { emailId } = await ask();
    await deliver(emailId);
    await deliver(emailId);
    expect(received).toHaveLength(1);
    expect((await eventsOf('EmailRequested'))[0]?.data).toMatchObject({ recipient: null, variables: null });
    await close();
  });

  test('an email is tried three times while the server is busy, and later only if an owner retries it', async () => {
    let isBusy = true;
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(isBusy ? smtpRejection(450, 'busy') : null);
    const { deps, ctx, ask, deliver, received, eventsOf, close } = await withServer({ onRcptTo });
    const { emailId } = await ask();
    await expect(deliver(emailId)).rejects.toThrow('TEMPORARY');
    await expect(deliver(emailId)).rejects.toThrow('TEMPORARY');
    expect(await deliver(emailId)).toBe('done');
    expect((await eventsOf('EmailFailed')).map(({ data }) => [data.attempt, data.isFinal, data.error?.type])).toEqual([
      ...[
        [1, false, 'TEMPORARY'],
        [2, false, 'TEMPORARY'],
        [3, true, 'TEMPORARY'],
      ],
    ]);
    isBusy = false;
    expect(await deliver(emailId)).toBe('done');
    expect(received).toHaveLength(0);
    await retryEmail(deps, ctx, { emailId });
    await deliver(emailId);
    expect(received).toHaveLength(1);
    await close();
  });

  test('an email with a permanent error is not retried', async () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) => done(smtpRejection(554, 'no'));
    const { ask, deliver, eventsOf, close } = await withServer({ onRcptTo });
    expect(await deliver((await ask()).emailId)).toBe('done');
    expect((await eventsOf('EmailFailed')).map(({ data }) => data.isFinal)).toEqual([true]);
    await close();
  });

  test('an email stays pending without a mail server', async () => {
    const { deps, ctx, ask, deliver, received, eventsOf, close } = await withServer();
    const { emailId } = await ask();
    await deliver(emailId, { shared: null });
    expect((await eventsOf('EmailFailed'))[0]?.data.error?.message).toContain('No SMTP server');
    await retryEmail(deps, ctx, { emailId });
    await deliver(emailId);
    expect(received).toHaveLength(1);
    await close();
  });

  test('an email whose user, project or code is gone is not sent', async () => {
    const { email, deps, clock, ctx, ask, deliver, received, eventsOf, close } = await withServer();
    const { userId } = await signUp(deps, ctx, { email, password: 'correct horse' });
    await sendResetCode(deps, ctx, { email, callbackUrl, project: testProject });
    const reset = await lastMail({ eventsOf });
    await deleteUser(deps, ctx, { userId });
    await deliver(reset.emailId);
    const late = await ask('bob@example.com');
    clock.advance(week);
    await deliver(late.emailId);
    const last = await ask('eve@example.com');
    await deleteProject(deps, ctx);
    await deliver(last.emailId);
    expect(received).toEqual([]);
    expect((await eventsOf('EmailDropped')).map(({ data }) => data.reason)).toEqual(['user_gone', 'expired']);
    await close();
  });
});

describe('an owner’s template and server', () => {
  test('the project’s template and server are used, but not content that is invalid', async () => {
    const { deps, ctx, port, ask, deliver, received, eventsOf, close } = await withServer();
    const own = { host: '127.0.0.1', port, username: '', senderName: 'Our shop', senderEmail: 'hello@shop.example' };
    await updateProject(deps, ctx, { config: { emailConfig: { type: 'standard', ...own } } });
    const words = { type: 'Text', data: { props: { text: 'Psst: {{ otp }}' } } };
    const content = { root: { type: 'EmailLayout', data: { childrenIds: ['words'] } }, words };
    await changeEmailTemplate(deps, ctx, {
      templateType: 'magic_link',
      language: null,
      subject: 'Come in, {{ otp }}',
      content,
    });
    await deliver((await ask()).emailId, { shared: null });
    expect(received[0]?.raw).toContain('From: Our shop <hello@shop.example>');
    expect(received[0]?.raw).toMatch(/Subject: Come in, [0-9A-Z]{6}/);
    expect(received[0]?.raw).toContain('Psst:');
    await changeEmailTemplate(deps, ctx, {
      templateType: 'magic_link',
      language: null,
      content: { root: { type: 'Gone' } },
    });
    await deliver((await ask()).emailId);
    expect(received[1]?.raw).toContain('Enter this code');
    expect((await eventsOf('EmailSent')).at(-1)?.data.sender.type).toBe('standard');
    await close();
  });
});

describe('email limits', () => {
  const rules = { recipient: [{ max: 2, minutes: 10 }], project: { max: 4, minutes: 60 } };

  test('limits protect a mailbox in any spelling of its address', async () => {
    const { email, clock, ask, deliver, received, eventsOf, close } = await withServer();
    const limits = createEmailLimits(database.pool, rules);
    for (const address of [email, email.toLowerCase(), email.toUpperCase()]) {
      await deliver((await ask(address)).emailId, { limits });
    }
    expect(received).toHaveLength(2);
    expect((await eventsOf('EmailDropped')).map(({ data }) => data.reason)).toEqual(['recipient_limit']);
    clock.advance(10 * 60_000);
    await deliver((await ask()).emailId, { limits });
    expect(received).toHaveLength(3);
    await close();
  });

  test('limits delay emails of a project and lose none', async () => {
    const { clock, ask, deliver, received, close } = await withServer();
    const limits = createEmailLimits(database.pool, rules);
    for (let nth = 0; nth < 4; nth += 1) await deliver((await ask(`p${nth}@example.com`)).emailId, { limits });
    const fifth = await ask('p5@example.com');
    const outcome = await deliver(fifth.emailId, { limits });
    expect(outcome).toEqual({ laterMs: expect.any(Number) });
    expect(received).toHaveLength(4);
    clock.advance(outcome === 'done' ? 0 : outcome.laterMs);
    expect(await deliver(fifth.emailId, { limits })).toBe('done');
    expect(received).toHaveLength(5);
    await close();
  });

  test('counts that no limit needs are deleted', async () => {
    const limits = createEmailLimits(database.pool, rules);
    await limits.forgetBefore('2100-01-01T00:00:00.000Z');
    const { rows } = await database.pool.query('select from worker.email_counts');
    expect(rows).toHaveLength(0);
  });
});
