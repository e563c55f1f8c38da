import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { expect } from 'vitest';
import { owner, shop, test, visitor } from './fixture.ts';

export function testEmails(): void {
  test('edits an email template with a preview and sets up an SMTP server', async ({
    product,
    page,
    title,
    region,
    dialog,
    saveChanges,
  }) => {
    const server = await startSmtpServer();
    try {
      await page.goto(`${product.url}/projects/${shop.projectId}/settings/email`);
      const form = region('Outgoing email');
      await form.getByLabel('Sender', { exact: true }).selectOption('Your own SMTP server');
      await form.getByLabel('SMTP host').fill('127.0.0.1');
      await form.getByLabel('Port').fill(String(server.port));
      await form.getByLabel('Username').fill('shop');
      await form.getByLabel('Password', { exact: true }).fill('secret');
      await form.getByLabel('Sender name').fill('Acme Shop');
      await form.getByLabel('Sender email').fill('hello@acme.example');
      await form.getByLabel('Send a test email to').fill('maya@mail.example');
      await form.getByLabel('Send a test email to').press('Enter');
      // The test server has no accounts, so it rejects the credentials.
      await form.getByText('The test email was not sent').waitFor();
      await saveChanges('Password: empty → hidden');
      await form.getByRole('link', { name: 'Emails' }).click();
      await region('Sent emails').getByText('Failed').waitFor();

      await region('Templates').getByRole('link', { name: 'Sign-in code' }).click();
      await title('Sign-in code').waitFor();
      await page.getByLabel('Subject').fill('Your code is {{ otp }}');
      await page.getByRole('button', { name: /^Text: Enter this code/ }).click();
      await page.getByLabel('Text', { exact: true }).fill('Use this code to sign in:');
      const preview = page.frameLocator('iframe[title="Email preview"]');
      await preview.getByText('Use this code to sign in:').waitFor();
      await region('Preview').getByText('Your code is A1B2C3').waitFor();
      await saveChanges('1 block edited');
      await page.reload();
      await preview.getByText('Use this code to sign in:').waitFor();
      await page.getByRole('button', { name: 'Reset template' }).click();
      await dialog('Reset this template?').getByRole('button', { name: 'Reset template' }).click();
      await preview.getByText('Enter this code').waitFor();
      expect(await page.getByLabel('Subject').inputValue()).toContain('sign-in code');

      await page.goto(`${product.url}/projects/${shop.projectId}/settings/email`);
      await form.getByLabel('Sender', { exact: true }).selectOption('Shared SMTP server');
      await saveChanges('Sender: Your own SMTP server → Shared SMTP server');
    } finally {
      await server.close();
    }
  });

  test('changes the blocks of a template by keyboard, and emails arrive as in the preview', async ({
    product,
    page,
    region,
    saveChanges,
    asApp,
  }) => {
    const messages = async (to: string) => {
      const answer = await fetch(`${product.url}/inbox/messages`);
      const { items } = (await answer.json()) as { items: { id: string; to: string[]; subject: string }[] };
      return items.filter((message) => message.to.includes(to));
    };
    await page.goto(`${product.url}/projects/${shop.projectId}/emails/password_reset`);
    const blocks = page.getByRole('list', { name: 'Blocks' });
    await blocks.getByRole('button', { name: 'Heading: Reset your password', exact: true }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => blocks.getByRole('listitem').first().textContent()).toContain('Hi');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('button', { name: 'Add block', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Text' }).press('Enter');
    await page.getByLabel('Text', { exact: true }).fill('Regards, the shop');
    await page.getByRole('button', { name: 'Remove: Divider' }).press('Enter');
    await page.getByLabel('Button color', { exact: true }).fill('#aa0000');
    const preview = page.frameLocator('iframe[title="Email preview"]');
    await preview.getByText('Regards, the shop').waitFor();
    await page.getByText('Phone', { exact: true }).click();
    expect(await page.locator('iframe[title="Email preview"]').evaluate((frame) => frame.clientWidth)).toBe(373);
    await page.getByRole('button', { name: 'Send a test to me' }).click();
    await page.getByText(`Sent to ${owner.email}.`).waitFor();
    await expect
      .poll(async () => (await messages(owner.email)).map(({ subject }) => subject))
      .toContain('Reset your password for Acme Shop');
    await saveChanges('1 block added, 1 block edited, 1 block removed');

    const reset = { email: visitor.email, callback_url: 'http://localhost:3000/handler/password-reset' };
    expect((await asApp('POST', '/auth/password/send-reset-code', reset)).status).toBe(200);
    const isReset = ({ subject }: { subject: string }) => subject.startsWith('Reset your password');
    await expect.poll(async () => (await messages(visitor.email)).filter(isReset).length).toBe(1);
    const [email] = (await messages(visitor.email)).filter(isReset);
    const answer = await fetch(`${product.url}/inbox/messages/${email?.id}`);
    const { html } = (await answer.json()) as { html: string };
    expect(html).toContain('Regards, the shop');
    expect(html).toContain('#aa0000');

    await page.getByRole('combobox', { name: 'Version' }).selectOption('German');
    await page.getByText('Readers of German get the default version.').waitFor();
    expect(new URL(page.url()).searchParams.get('language')).toBe('de-DE');
    await page.getByRole('button', { name: 'Copy built-in text' }).click();
    await preview.getByRole('heading', { name: 'Passwort zurücksetzen' }).waitFor();
    await region('Unsaved changes').getByRole('button', { name: 'Save' }).click();
    await page.getByText('This version was customized. Readers of German get it.').waitFor();
    const inGerman = { 'accept-language': 'de' };
    expect((await asApp('POST', '/auth/password/send-reset-code', reset, inGerman)).status).toBe(200);
    await expect
      .poll(async () => (await messages(visitor.email)).map(({ subject }) => subject))
      .toContain('Setzen Sie Ihr Passwort für Acme Shop zurück');
  });
}
