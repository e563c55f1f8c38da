import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createMailReader, type Mail } from '../../infra/testing/mails.ts';
import { adminOf, type Product } from '../../infra/testing/product.ts';
import { totpOf } from '../../infra/testing/totp.ts';
import type { Watch } from '../../infra/testing/watched-page.ts';

const email = 'ann@mail.example';
const secondEmail = 'ann@work.example';
let password = 'correct horse';

let started: BrowserProduct;
let product: Product;
let watch: Watch;
let page: Page;
let inbox: { next: (to: string) => Promise<Mail> };

const title = (name: string | RegExp, on: Page = page) => on.getByRole('heading', { level: 1, name }).waitFor();
const press = (name: string | RegExp, on: Page = page) => on.getByRole('button', { name, exact: true }).click();
const field = (label: string, on: Page = page) => on.getByLabel(label, { exact: true });
const row = (text: string, on: Page = page) => on.getByRole('listitem').filter({ hasText: text });

async function openTab(tab: string, on: Page = page): Promise<void> {
  await on.goto(`${product.url}/handler/account-settings#${tab}`);
  await title('Account settings', on);
}

async function signIn(on: Page): Promise<void> {
  await on.goto(`${product.url}/handler/sign-in`);
  await signInByPassword(on, { email, password });
}

const asAdmin = adminOf(() => product);

async function findUsers(): Promise<Record<string, unknown>[]> {
  return (await asAdmin<{ items: Record<string, unknown>[] }>('GET', '/users?query=ann')).items;
}

describe.skipIf(noChromium)(
  `the account settings page${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('account', { GATEBOOK_INTERNAL_SIGN_UP: 'open' });
      ({ product, watch, page } = started);
      inbox = createMailReader(product.url);
      await asAdmin('PATCH', '/internal/projects/current', {
        config: { allow_user_api_keys: true, client_user_deletion_enabled: true },
      });
      await asAdmin('POST', '/users', {
        primary_email: email,
        primary_email_verified: true,
        primary_email_auth_enabled: true,
        password,
      });
    });
    afterAll(() => started?.close());

    test('opens from the dashboard and after sign-in', async () => {
      await page.goto(`${product.url}/handler/account-settings#sessions`);
      await title('Sign in');
      await signInByPassword(page, { email, password });
      await page.getByRole('heading', { level: 2, name: 'Active sessions' }).waitFor();
      await page.getByRole('link', { name: 'Back to app' }).click();
      await title('Projects');
      await page.getByRole('link', { name: /^Account settings/ }).click();
      await page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    });

    test('changes the name and the profile image', async () => {
      await field('Your name').fill('Ann Achebe');
      await press('Save');
      await page.getByText('Saved.').waitFor();
      const png = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
      await field('Profile picture').last().setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png });
      await page.getByLabel('Zoom').fill('1.5');
      await press('Save picture');
      await page.getByRole('button', { name: 'Remove picture' }).waitFor();
      const [user] = await findUsers();
      expect(user?.display_name).toBe('Ann Achebe');
      expect(String(user?.profile_image_url)).toMatch(/^data:image\/jpeg;base64,.{1000}/);
      expect(String(user?.profile_image_url).length).toBeLessThanOrEqual(100_000);
      await press('Remove picture');
      await expect.poll(async () => (await findUsers())[0]?.profile_image_url).toBeNull();
    });

    test('adds an email address, verifies it and enables it for sign-in', async () => {
      await page.getByRole('link', { name: 'Sign-in and security' }).click();
      await field('Add an email address').fill(secondEmail);
      await press('Add email');
      await page.getByText(`Verification email sent to ${secondEmail}.`).waitFor();
      await row(secondEmail).getByText('Not verified').waitFor();
      const { link } = await inbox.next(secondEmail);
      await page.goto(link);
      await press('Verify email');
      await title('Email verified');
      await openTab('auth');
      await press(`Make ${secondEmail} primary`);
      await row(secondEmail).getByText('Primary').waitFor();
      await press(`Use ${secondEmail} for sign-in`);
      await row(secondEmail).getByText('Used for sign-in').waitFor();
      await press(`Remove ${secondEmail}`);
      await press('Remove email');
      await row(secondEmail).waitFor({ state: 'detached' });
      await row(email).waitFor();
    });

    test('changes the password, which ends all other sessions', async () => {
      const other = await watch.open({ colorScheme: 'light' });
      await signIn(other);
      await title('Projects', other);
      await press('Change password');
      await field('Current password').fill('not the one');
      await field('New password').fill('another horse');
      await field('Repeat password').fill('another horse');
      await press('Save password');
      await page.getByText('Wrong password').waitFor();
      await field('Current password').fill(password);
      await press('Save password');
      await page.getByText('Password changed.').waitFor();
      password = 'another horse';
      await openTab('sessions');
      await row('This session').waitFor();
      expect(await page.getByRole('listitem').count()).toBe(1);
      await other.context().close();
    });

    test('ends another session and keeps this one', async () => {
      const other = await watch.open({ colorScheme: 'light' });
      await signIn(other);
      await title('Projects', other);
      await openTab('sessions');
      await page.reload();
      const ended = row('Chrome').filter({ has: page.getByRole('button') });
      await ended.getByRole('button').click();
      await press('Sign out');
      await ended.waitFor({ state: 'detached' });
      await row('This session').waitFor();
      await other.context().close();
    });

    test('turns two-factor authentication on and off', async () => {
      await openTab('auth');
      await press('Set up two-factor authentication');
      const key = (await page.locator('.gbh-secret').innerText()).replaceAll(' ', '');
      const bits = [...key].map((letter) =>
        'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
      );
      const secret = Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
      expect(secret).toHaveLength(20);
      await field('Code from the app').fill(totpOf(secret));
      await page.getByRole('button', { name: 'Turn off two-factor authentication' }).waitFor();
      expect((await findUsers())[0]).toMatchObject({ requires_totp_mfa: true });
      const other = await watch.open({ colorScheme: 'light' });
      await signIn(other);
      await title('Two-factor authentication', other);
      await other.context().close();
      await press('Turn off two-factor authentication');
      await press('Turn off');
      await page.getByRole('button', { name: 'Set up two-factor authentication' }).waitFor();
      expect((await findUsers())[0]).toMatchObject({ requires_totp_mfa: false });
    });

    test('creates an API key that is shown once, and revokes it', async () => {
      await openTab('api-keys');
      await press('Create API key');
      await field('Name').fill('Backup');
      await press('Create key');
      const key = await page.locator('.gbh-secret').innerText();
      const check = () => asAdmin('POST', '/user-api-keys/check', { api_key: key });
      expect(await check()).toMatchObject({ description: 'Backup' });
      await press("Done, I've saved it");
      await row('Backup')
        .getByText(`…${key.slice(-4)}`)
        .waitFor();
      await press('Revoke Backup');
      await press('Revoke key');
      await row('Backup').getByText('Revoked').waitFor();
      await expect(check()).rejects.toThrow('API_KEY_REVOKED');
    });

    test('deletes the account after confirmation', async () => {
      await openTab('settings');
      await press('Delete my account');
      await press('Delete account');
      await title('Sign in');
      expect(await findUsers()).toEqual([]);
    });

    test('causes no browser errors and no third-party requests', () => {
      expect(watch.complaints).toEqual([]);
    });
  },
);
