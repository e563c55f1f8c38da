import { rm } from 'node:fs/promises';
import { loadClient, publishedClients } from '@gatebook/api/testing/published-clients';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startOnCopy } from '../testing/prepared-data.ts';
import { internalKeys } from '../testing/product.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeDataFolder('gatebook-mail-language-');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const password = 'correct horse battery';

/** Decodes quoted-printable UTF-8. */
const decode = (raw: string) =>
  Buffer.from(
    raw
      .replace(/=\r\n/g, '')
      .replace(/[^\0-\x7f]/g, encodeURIComponent)
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

test('emails are in the language that the browser of the user asked for, also those that it did not cause', async () => {
  const server = await startSmtpServer();
  const product = await startOnCopy(folder, {
    GATEBOOK_SMTP_URL: server.url,
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
  });
  const newest = publishedClients.at(-1) ?? expect.fail('no published client');
  const { StackClientApp } = await loadClient(newest);
  const appOf = (extraRequestHeaders: Record<string, string>) =>
    new StackClientApp({
      baseUrl: product.url,
      projectId: 'internal',
      publishableClientKey: internalKeys.client,
      tokenStore: 'memory',
      redirectMethod: 'none',
      extraRequestHeaders,
    });
  const newestTo = async (address: string, count: number) => {
    const emails = () => server.received.filter(({ to }) => to.includes(address));
    await expect.poll(() => emails().length, { timeout: 20_000 }).toBe(count);
    return decode(emails().at(-1)?.raw ?? '');
  };

  const ann = appOf({ 'accept-language': 'de-CH, en;q=0.5' });
  const verificationCallbackUrl = `${product.url}/handler/email-verification`;
  const facts = { email: 'ann@example.com', password, noRedirect: true, verificationCallbackUrl };
  expect(await ann.signUpWithCredential(facts)).toMatchObject({ status: 'ok' });
  const verification = await newestTo('ann@example.com', 1);
  expect(verification).toContain('lang="de-DE"');
  expect(verification).toContain('Dieser Link kann einmal verwendet werden und läuft in 7 Tagen ab.');
  const code = /email-verification\?code=([a-z0-9]{45})/.exec(verification)?.[1] ?? '';
  expect(await ann.verifyEmail(code)).toMatchObject({ status: 'ok' });

  // A program without a language, such as an app server. The language of the last use is written within a second.
  const script = appOf({});
  const callbackUrl = `${product.url}/handler/password-reset`;
  let count = 1;
  const reset = async () => {
    expect(await script.sendForgotPasswordEmail('ann@example.com', { callbackUrl })).toMatchObject({ status: 'ok' });
    count += 1;
    return newestTo('ann@example.com', count);
  };
  await expect.poll(reset, { interval: 1_000, timeout: 20_000 }).toContain('Passwort zurücksetzen');

  const user = await ann.getUser({ or: 'throw' });
  const newPassword = 'another horse battery';
  expect(await user.updatePassword({ oldPassword: password, newPassword })).toBeUndefined();
  const notice = await newestTo('ann@example.com', count + 1);
  expect(notice).toContain('Ihr Passwort wurde geändert.');
  expect(notice).toMatch(/\d{1,2}\. \p{L}+ \d{4} um \d{2}:\d{2} UTC/u);

  // An owner's own text in one language.
  count += 1;
  const words = { type: 'Text', data: { props: { text: 'Hier entlang: {{ passwordResetLink }}' } } };
  const edited = await fetch(`${product.url}/api/v1/internal/email-templates/password_reset/versions/de-DE`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'admin',
      'x-stack-project-id': 'internal',
      'x-stack-super-secret-admin-key': internalKeys.admin,
    },
    body: JSON.stringify({
      subject: 'Neues Passwort',
      content: { root: { type: 'EmailLayout', data: { childrenIds: ['words'] } }, words },
    }),
  });
  expect(edited.status).toBe(200);
  const own = await reset();
  expect(own).toContain('Subject: Neues Passwort');
  expect(own).toContain('Hier entlang: http');

  const stranger = await script.signUpWithCredential({ ...facts, email: 'bob@example.com' });
  expect(stranger).toMatchObject({ status: 'ok' });
  expect(await newestTo('bob@example.com', 1)).toContain('Please confirm that this email address');
  await script.sendForgotPasswordEmail('bob@example.com', { callbackUrl });
  expect(await newestTo('bob@example.com', 2)).toContain('Reset your password');
  await product.stop();
  await server.close();
});
