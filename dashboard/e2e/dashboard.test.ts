import { readFile } from 'node:fs/promises';
import { createMemoryTokenStore } from '@gatebook/js/core';
import { createOwnerClient, type OwnerClient } from '@gatebook/js/owner-client';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { pollDeadlineMs, testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findAxeFaults } from '../../infra/testing/axe.ts';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { walkTo } from '../../infra/testing/dashboard-walk.ts';
import {
  findAccessFaults,
  findLowContrast,
  findLowContrastInDark,
  findOverflow,
} from '../../infra/testing/page-checks.ts';
import { internalKeys, type Product } from '../../infra/testing/product.ts';
import type { Watch } from '../../infra/testing/watched-page.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
const visitor = { email: 'ann@mail.example', password: 'correct horse' };

let started: BrowserProduct;
let product: Product;
let page: Page;
let watch: Watch;
let projectId = '';
let clientKey = '';
let teamPath = '';
let client: OwnerClient;

async function asApp(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectId,
      'x-stack-publishable-client-key': clientKey,
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const region = (name: string) => page.getByRole('region', { name });
const dialog = (name: string) => page.getByRole('dialog', { name });
/** Saves the unsaved changes once one of them reads so. */
async function saveChanges(change: string): Promise<void> {
  await region('Unsaved changes').getByText(change).waitFor();
  await region('Unsaved changes').getByRole('button', { name: 'Save' }).click();
  await region('Unsaved changes').waitFor({ state: 'detached' });
}

describe.skipIf(noChromium)(
  `the dashboard in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('dashboard');
      ({ product, watch, page } = started);
    });
    afterAll(() => started?.close());

    test('says on a fresh server how to create the owner', async () => {
      await page.goto(`${product.url}/`);
      await title('Create the owner account').waitFor();
      await page.getByText(`${product.url}/setup?token=…`).waitFor();
      await page.getByText('restart Gatebook').waitFor();
      expect(await findAxeFaults(page)).toEqual([]);
    });

    test('creates the first owner with the printed setup link', async () => {
      const link = `${product.url}/setup?token=${product.setupToken}`;
      await page.goto(link);
      await page.getByLabel('Your name').fill(owner.displayName);
      await page.getByLabel('Email').fill(owner.email);
      await page.getByLabel('Password', { exact: true }).fill(owner.password);
      await page.getByRole('button', { name: 'Create owner account' }).click();
      await title('Projects').waitFor();
      await page.goto(link);
      await title('This link has already been used').waitFor();
    });

    test('loads less than 200 kB for its first page', async () => {
      const fresh = await watch.open({ colorScheme: 'light' });
      await fresh.goto(`${product.url}/setup`);
      await fresh.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
      const bytes = await fresh.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .map(({ encodedBodySize }) => encodedBodySize)
          .reduce((sum, size) => sum + size, 0),
      );
      await fresh.close();
      // About 180 kB; charts, other pages or a development build would exceed the limit.
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThan(200_000);
    });

    test('creates a project and a key that is shown once', async () => {
      await page.goto(`${product.url}/projects`);
      await page.getByRole('button', { name: 'Create project' }).click();
      await dialog('Create project').getByLabel('Name').fill('Acme Shop');
      await dialog('Create project').getByRole('button', { name: 'Create project' }).click();
      await title('Get started').waitFor();
      projectId = new URL(page.url()).pathname.split('/')[2] ?? '';
      expect(await findAxeFaults(page)).toEqual([]);
      await page.goto(`${product.url}/projects/${projectId}/settings/keys?new=1`);
      await dialog('Create key').getByLabel('Name').fill('Website');
      await dialog('Create key').getByRole('button', { name: 'Create key' }).click();
      const shown = dialog('Save your key');
      clientKey = (await shown.getByText(/^pck_/).textContent()) ?? '';
      expect(clientKey).toMatch(/^pck_[0-9a-z]{45}$/);
      await shown.getByRole('button', { name: 'Done, I’ve saved it' }).click();
      await page.getByText(`pck_…${clientKey.slice(-4)}`).waitFor();
      expect(await page.getByText(clientKey).count()).toBe(0);
    });

    async function saveChart(kind: string, name: string, content: RegExp): Promise<void> {
      await page.getByRole('button', { name: 'Export Sign-ups' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: kind }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe(name);
      expect(await readFile(await download.path(), 'latin1')).toMatch(content);
    }

    let refreshToken = '';
    test('notices the first sign-up while Get started is open', async () => {
      await page.getByRole('link', { name: 'Get started' }).click();
      await region('First sign-up').getByText('Waiting for the first sign-up').waitFor();
      const { status, body } = await asApp('POST', '/auth/password/sign-up', {
        ...visitor,
        verification_callback_url: 'http://localhost:3000/handler/email-verification',
      });
      expect(status).toBe(200);
      refreshToken = body.refresh_token ?? '';
      await region('First sign-up').getByRole('link', { name: visitor.email }).waitFor();
      await region('Before you go live').getByText('1 of 5 steps done').waitFor();
    });

    test('shows a new sign-up in the chart, saves the chart, and leads to the people of the day', async () => {
      await page.getByRole('link', { name: 'Overview' }).click();
      const isCounted = region('Sign-ups').getByText(/^Highest: 1 sign-up, .* \(so far\)/);
      // Metrics can lag behind the sign-up, and an open page does not read them again.
      await vi.waitFor(
        () =>
          isCounted
            .waitFor({ state: 'attached', timeout: 2_000 })
            .catch((error) => page.reload().then(() => Promise.reject(error))),
        { timeout: pollDeadlineMs },
      );
      await region('Sign-ups').locator('svg .recharts-bar-rectangle').first().waitFor();
      await page.getByRole('link', { name: '7 days' }).click();
      await page.getByRole('combobox', { name: 'Group by' }).selectOption('By method');
      await region('Sign-ups').getByText('Password', { exact: true }).first().waitFor();
      expect(new URL(page.url()).search).toBe('?range=7d&by=method');
      await saveChart('CSV', 'sign-ups-7d-day-method.csv', /count,Password\r\n/);
      await saveChart('SVG image', 'sign-ups-7d-day-method.svg', /<svg .*<rect .*<\/svg>/s);
      await saveChart('PNG image', 'sign-ups-7d-day-method.png', /^.PNG/);
      await region('Sign-ups').getByText('Show as table').click();
      await region('Sign-ups')
        .getByRole('link', { name: /so far/ })
        .click();
      await page.getByText(/^Signed up .* \(UTC\)$/).waitFor();
      await page.getByRole('link', { name: visitor.email }).click();
      await title(visitor.email).waitFor();
    });

    test('renames a user and shows the change in the history', async () => {
      await page.getByRole('button', { name: 'Edit user' }).click();
      await dialog('Edit user').getByLabel('Name').fill('Ann Achebe');
      await dialog('Edit user').getByRole('button', { name: 'Save' }).click();
      await title('Ann Achebe').waitFor();
      const newest = region('History').getByRole('listitem').first();
      await newest.getByText(/display name .*Ann Achebe/i).waitFor();
      expect(await newest.textContent()).toContain('Maya Lindqvist (owner)');
    });

    test('revokes a session, which signs the app out', async () => {
      const refresh = () =>
        asApp('POST', '/auth/sessions/current/refresh', {}, { 'x-stack-refresh-token': refreshToken });
      expect((await refresh()).status).toBe(200);
      await region('Sessions')
        .getByRole('button', { name: /^Sign out (?!everywhere)/ })
        .click();
      await dialog('Sign out this session?').getByRole('button', { name: 'Sign out' }).click();
      await region('Sessions').getByText('No active sessions').waitFor();
      expect(await refresh()).toMatchObject({ status: 401, body: { code: 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED' } });
    });

    test('pages and searches through many users with the state in the URL', async () => {
      client = createOwnerClient({
        baseUrl: product.url,
        projectId: 'internal',
        publishableClientKey: internalKeys.client,
        tokenStore: createMemoryTokenStore(),
      });
      await client.auth.signInWithPassword(owner);
      for (let number = 1; number <= 27; number += 1) {
        const primaryEmail = `user${number}@mail.example`;
        await client.admin(projectId).users.create({ displayName: `User ${number}`, primaryEmail });
      }
      await page.goto(`${product.url}/projects/${projectId}/users`);
      await page.getByRole('link', { name: 'User 27' }).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
      expect(await page.getByRole('row').count()).toBe(1 + 3);
      await page.reload();
      await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByRole('link', { name: 'User 27' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
      await page.getByRole('button', { name: 'Signed up' }).click();
      await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search users' }).fill('achebe');
      await page.getByText('1 user', { exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?query=achebe&order=oldest');
      await page.goBack();
      await page.getByRole('link', { name: 'User 27' }).waitFor();
    });

    test('deletes a user after the email is typed', async () => {
      await page.goto(`${product.url}/projects/${projectId}/users?query=user27`);
      await page.getByRole('link', { name: 'User 27' }).click();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete user' }).click();
      await dialog('Delete this user?').getByRole('textbox').fill('user27@mail.example');
      await dialog('Delete this user?').getByRole('button', { name: 'Delete user' }).click();
      await title('Users').waitFor();
      await page.getByRole('link', { name: 'User 26' }).waitFor();
      expect(await page.getByRole('link', { name: 'User 27' }).count()).toBe(0);
    });

    test('restricts all users who match in one batch, and finds them by a filter', async () => {
      await page.goto(`${product.url}/projects/${projectId}/users?query=user1`);
      await page.getByRole('checkbox', { name: 'Select all users on this page' }).check();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Restrict', exact: true }).click();
      const asked = dialog('Restrict users');
      await asked.getByLabel('Reason').fill('Spam');
      await asked.getByText('Of the first 10 users: 10 users change').waitFor();
      await asked.getByRole('button', { name: 'Restrict 11 users' }).click();
      await region('Batch').getByText('Complete: 11 of 11 users').waitFor();
      await region('Batch').getByRole('button', { name: 'Close' }).click();
      await page.goto(`${product.url}/projects/${projectId}/users?restricted=yes&order=active`);
      await page.getByText('11 users', { exact: true }).waitFor();
      expect(await findAccessFaults(page)).toEqual([]);
    });

    test('opens a user with the command palette, and a setting that is scrolled to', async () => {
      const found = dialog('Search').getByRole('combobox');
      await page.keyboard.press('Control+k');
      await found.fill('achebe');
      await dialog('Search').getByRole('option', { name: 'Ann Achebe' }).waitFor();
      expect(await findAccessFaults(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await title('Ann Achebe').waitFor();
      await page.keyboard.press('Control+k');
      await found.fill('production');
      await dialog('Search').getByRole('option', { name: 'Production mode' }).waitFor();
      await page.keyboard.press('Enter');
      await title('General').waitFor();
      await expect
        .poll(() => region('Production mode').evaluate((card) => card.getBoundingClientRect().top < innerHeight))
        .toBe(true);
      await dialog('Search').waitFor({ state: 'hidden' });
      await page.keyboard.press('g');
      await page.keyboard.press('u');
      await title('Users').waitFor();
    });

    test('updates the operations page while the log grows', async () => {
      await page.getByRole('link', { name: 'Operations' }).click();
      const head = page.locator('dt:has-text("Log head") + dd');
      await head.waitFor();
      const before = Number((await head.textContent())?.replaceAll(',', ''));
      await client.admin(projectId).users.create({ displayName: 'Late comer' });
      await expect.poll(async () => Number((await head.textContent())?.replaceAll(',', ''))).toBeGreaterThan(before);
      expect(await region('Projections').getByText('Running').count()).toBeGreaterThanOrEqual(2);
    });

    test('can be used with the keyboard only', async () => {
      await page.goto(`${product.url}/projects`);
      await page.getByRole('button', { name: 'Create project' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Deleted projects');
      await page.keyboard.press('Tab');
      const edgeOf = () => page.evaluate(() => document.querySelector('main')?.getBoundingClientRect().right);
      const edge = await edgeOf();
      await page.keyboard.press('Enter');
      await dialog('Create project').waitFor();
      // The page below the dialog keeps its place, and the dialog is in the middle of the window.
      expect(await edgeOf()).toBe(edge);
      const box = await dialog('Create project').boundingBox();
      expect(box && box.x + box.width / 2).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, -1);
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('placeholder')))
        .toBe('Acme Shop');
      for (let press = 0; press < 8; press += 1) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
      }
      await page.keyboard.press('Escape');
      await dialog('Create project').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Create project');
    });

    test('returns to the requested page after sign-in', async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await title('Sign in').waitFor();
      const wanted = `/projects/${projectId}/users?query=ann`;
      await page.goto(product.url + wanted);
      await title('Sign in').waitFor();
      await signInByPassword(page, { ...owner, password: 'not the password' });
      await page.getByText('Incorrect email or password').waitFor();
      await page.getByLabel('Password', { exact: true }).fill(owner.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
      expect(page.url()).toBe(product.url + wanted);
    });

    test('edits an email template with a preview and sets up an SMTP server', async () => {
      const server = await startSmtpServer();
      try {
        await page.goto(`${product.url}/projects/${projectId}/settings/email`);
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

        await page.goto(`${product.url}/projects/${projectId}/settings/email`);
        await form.getByLabel('Sender', { exact: true }).selectOption('Shared SMTP server');
        await saveChanges('Sender: Your own SMTP server → Shared SMTP server');
      } finally {
        await server.close();
      }
    });

    test('changes the blocks of a template by keyboard, and emails arrive as in the preview', async () => {
      const messages = async (to: string) => {
        const answer = await fetch(`${product.url}/inbox/messages`);
        const { items } = (await answer.json()) as { items: { id: string; to: string[]; subject: string }[] };
        return items.filter((message) => message.to.includes(to));
      };
      await page.goto(`${product.url}/projects/${projectId}/emails/password_reset`);
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

    test('creates a permission and a team, and grants the permission to a member', async () => {
      await page.goto(`${product.url}/projects/${projectId}/permissions`);
      await page.getByRole('button', { name: 'Create team permission' }).click();
      await dialog('Create permission').getByLabel('ID').fill('editor');
      await dialog('Create permission').getByRole('combobox', { name: 'Contains' }).click();
      await page.getByRole('option', { name: 'team_member' }).click();
      await page.keyboard.press('Escape');
      await dialog('Create permission').getByRole('button', { name: 'Create permission' }).click();
      await region('Team permissions').getByText('editor', { exact: true }).waitFor();

      await page.getByRole('link', { name: 'Teams' }).click();
      await page.getByRole('button', { name: 'Create team', exact: true }).first().click();
      await dialog('Create team').getByLabel('Name').fill('Editors');
      await dialog('Create team').getByRole('button', { name: 'Create team' }).click();
      await title('Editors').waitFor();
      await region('Members').getByRole('button', { name: 'Add member' }).click();
      await dialog('Add member').getByRole('textbox').fill('achebe');
      await dialog('Add member').getByRole('button', { name: 'Add Ann Achebe' }).click();
      await page.keyboard.press('Escape');
      await region('Members').getByRole('button', { name: 'Permissions of Ann Achebe' }).click();
      const grants = dialog('Permissions of Ann Achebe');
      await grants.getByText('(through team_member)').first().waitFor();
      await grants.locator('label:has([aria-label="Grant editor"])').click();
      await saveChanges('editor: Off → On');
      await expect.poll(() => grants.getByRole('switch', { name: 'Grant editor' }).isChecked()).toBe(true);
      await page.keyboard.press('Escape');
      teamPath = new URL(page.url()).pathname;
      const { permissions, users } = client.admin(projectId);
      const ann = (await users.list({ query: 'achebe', limit: 1 })).items[0]?.id ?? '';
      const granted = await permissions.listGrants({ teamId: teamPath.split('/').at(-1) ?? '', userId: ann });
      expect([...granted].sort()).toEqual(['editor', 'team_member']);
    });

    test('creates a team API key that is shown once, and revokes it', async () => {
      await page.goto(`${product.url}/projects/${projectId}/settings`);
      await page.getByRole('switch', { name: /^Team API keys/ }).click();
      await saveChanges('Team API keys: Off → On');
      await page.goto(product.url + teamPath);
      const card = region('API keys');
      await card.getByRole('button', { name: 'Create API key' }).click();
      await dialog('Create API key').getByLabel('Name').fill('Deployment');
      await dialog('Create API key').getByRole('button', { name: 'Create API key' }).click();
      const shown = dialog('Save your API key');
      await shown.getByText(/^sk_[0-9a-z]{99}$/).waitFor();
      await shown.getByRole('button', { name: 'Done, I’ve saved it' }).click();
      await card.getByText('Deployment').waitFor();
      await card.getByRole('button', { name: 'Revoke Deployment' }).click();
      await dialog('Revoke this API key?')
        .getByRole('button', { name: /^Revoke/ })
        .click();
      await card.getByText('Revoked').first().waitFor();
    });

    test('every page fits 390 px and is accessible in light and dark mode', async () => {
      await asApp('POST', '/auth/password/sign-in', visitor);
      const phone = await watch.open({ colorScheme: 'light', width: 390 });
      const home = `/projects/${projectId}`;
      const nowhere = `${home}/nowhere`;
      let isSignedIn = false;
      const check = async (path: string, sign: string | RegExp, act = async () => {}) => {
        if (isSignedIn && path !== nowhere) await walkTo(phone, path);
        else await phone.goto(product.url + path);
        await phone.getByText(sign).first().waitFor();
        await act();
        expect({
          path,
          overflow: await findOverflow(phone),
          issues: await findAccessFaults(phone),
          contrast: await findLowContrast(phone),
          dark: await findLowContrastInDark(phone),
        }).toEqual({ path, overflow: 0, issues: [], contrast: [], dark: [] });
      };
      await check('/sign-up', 'Sign-up is closed');
      await check('/setup', 'This link is incomplete');
      await check('/sign-in', 'Sign in with a passkey');
      await signInByPassword(phone, owner);
      await phone.getByRole('heading', { name: 'Projects' }).waitFor();
      isSignedIn = true;
      const { items } = await client.admin(projectId).users.list({ query: 'achebe', limit: 1 });
      await check('/projects', 'Acme Shop');
      await check('/projects?new=1', 'Create project');
      await check(home, 'Latest sign-ups');
      await check(`${home}/users`, 'Late comer');
      await check(`${home}/users?query=nobody-at-all`, 'No users found');
      await check(`${home}/users/${items[0]?.id}`, /display name .*Ann Achebe/i);
      await check(`${home}/users/${projectId}`, 'This user does not exist');
      await check(`${home}/teams`, 'Editors');
      await check(teamPath, 'Deployment');
      await check(teamPath, 'Deployment', async () => {
        await phone.getByRole('button', { name: 'Permissions of Ann Achebe' }).click();
        await phone.getByText('(through editor)').first().waitFor();
      });
      await check(`${home}/permissions`, 'Default permissions');
      await check(`${home}/permissions`, 'Default permissions', async () => {
        await phone.getByRole('button', { name: 'Edit editor' }).click();
        await phone.getByRole('dialog').getByText('Users with this permission also have these.').waitFor();
      });
      await check(`${home}/keys`, 'Website');
      await check(`${home}/settings`, 'Production mode', async () => {
        await phone.getByLabel('Name', { exact: true }).fill('Acme Store');
        await phone.getByRole('region', { name: 'Unsaved changes' }).getByText('Can be undone.').waitFor();
      });
      await phone.getByRole('button', { name: 'Discard' }).click();
      await check(`${home}/settings/sign-in-methods`, 'Anonymous accounts');
      await check(`${home}/settings/providers`, 'Add provider', async () => {
        await phone.getByRole('button', { name: 'Add provider' }).click();
        await phone.getByRole('dialog').getByLabel('Provider').waitFor();
      });
      await check(`${home}/settings/domains`, 'Add domain', async () => {
        await phone.getByRole('button', { name: 'Add domain' }).click();
        await phone.getByRole('button', { name: 'Save' }).click();
        await phone.getByText('Enter a URL that starts with https://').waitFor();
      });
      await phone.getByRole('button', { name: 'Discard' }).click();
      await check(`${home}/settings/email`, 'Outgoing email', async () => {
        await phone.getByLabel('Sender', { exact: true }).selectOption('Your own SMTP server');
        await phone.getByRole('button', { name: 'Save' }).click();
        await phone.getByText('Enter a hostname').waitFor();
      });
      await phone.getByRole('button', { name: 'Discard' }).click();
      await check(`${home}/settings/security`, 'Teams joined per user');
      await check(`${home}/settings/danger-zone`, 'Delete project');
      await check(`${home}/emails`, 'Password reset');
      await check(`${home}/emails/magic_link`, 'Available variables', async () => {
        await phone.getByRole('button', { name: 'Button: Sign in', exact: true }).click();
        await phone.getByLabel('URL', { exact: true }).waitFor();
      });
      await check('/operations', 'Integrity checks');
      await check(nowhere, 'Page not found');
      await walkTo(phone, home);
      await phone.getByRole('button', { name: 'Open menu' }).click();
      await phone.getByRole('dialog').getByRole('link', { name: 'Users' }).click();
      await phone.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
      await phone.getByRole('dialog').waitFor({ state: 'detached' });
      await phone.close();
    });

    test('keeps settings and the color scheme after a reload', async () => {
      await page.goto(`${product.url}/projects/${projectId}/domains`);
      await title('Domains').waitFor();
      await page.getByRole('link', { name: 'Sign-in methods' }).click();
      await title('Sign-in methods').waitFor();
      const signUp = page.getByRole('switch', { name: /^Sign-up/ });
      expect(await signUp.isChecked()).toBe(true);
      await signUp.click();
      await saveChanges('Sign-up: On → Off');
      await expect.poll(() => signUp.isChecked()).toBe(false);
      await page.getByRole('button', { name: 'Switch to dark mode' }).click();
      await page.reload();
      await expect.poll(() => signUp.isChecked()).toBe(false);
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
      const answer = await asApp('POST', '/auth/password/sign-up', {
        email: 'late@mail.example',
        password: visitor.password,
        verification_callback_url: 'http://localhost:3000/handler/email-verification',
      });
      expect(answer.body.code).toBe('SIGN_UP_NOT_ENABLED');
    });

    test('asks before unsaved settings are left, and undoes saved ones', async () => {
      const signUp = page.getByRole('switch', { name: /^Sign-up/ });
      await signUp.click();
      await page.getByRole('link', { name: 'Overview' }).click();
      await dialog('Leave without saving?').getByRole('button', { name: 'Stay on this page' }).click();
      expect(await signUp.isChecked()).toBe(true);
      await page.goBack();
      await dialog('Leave without saving?').getByRole('button', { name: 'Stay on this page' }).click();
      await title('Sign-in methods').waitFor();
      const question = page.waitForEvent('dialog');
      const reload = page.reload({ timeout: 2_000 }).catch(() => {});
      await (await question).dismiss();
      await reload;
      expect(await signUp.isChecked()).toBe(true);
      await saveChanges('Sign-up: Off → On');
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => signUp.isChecked()).toBe(false);
      await page.getByRole('link', { name: 'Overview' }).click();
      await title('Acme Shop').waitFor();
    });

    test('rejects a revoked key from the next request on', async () => {
      expect((await asApp('GET', '/projects/current')).status).toBe(200);
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByRole('link', { name: 'Project keys' }).click();
      await page.getByRole('button', { name: 'Revoke Website' }).click();
      await dialog('Revoke this key?').getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('Revoked', { exact: true }).waitFor();
      expect((await asApp('GET', '/projects/current')).body.code).toBe('INVALID_PUBLISHABLE_CLIENT_KEY');
    });

    test('causes no browser errors but for the page that does not exist, and no third-party requests', () => {
      expect(watch.complaints).toEqual([expect.stringMatching(/404 \(Not Found\) \/projects\/[^/]+\/nowhere$/)]);
    });
  },
);
