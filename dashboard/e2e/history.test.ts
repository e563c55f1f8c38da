import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AdminClient, createOwnerClient } from '@gatebook/js/admin';
import { createMemoryTokenStore } from '@gatebook/js/core';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../../infra/testing/build-dashboard.ts';
import { launchChromium, noChromium } from '../../infra/testing/chromium.ts';
import {
  findAccessFaults,
  findLowContrast,
  findLowContrastInDark,
  findOverflow,
} from '../../infra/testing/page-checks.ts';
import { makePassableFolder } from '../../infra/testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../../infra/testing/product.ts';
import { type Watch, watchPages } from '../../infra/testing/watched-page.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };

let folder: string;
let product: Product;
let browser: Browser;
let page: Page;
let watch: Watch;
let admin: AdminClient;
let home = '';
let userPath = '';

const title = (name: string) => page.getByRole('heading', { level: 1, name });
const dialog = (name: string) => page.getByRole('dialog', { name });

async function signIn(on: Page): Promise<void> {
  await on.goto(`${product.url}/handler/sign-in`);
  await on.getByRole('tab', { name: 'Password' }).click();
  await on.getByLabel('Email').fill(owner.email);
  await on.getByLabel('Password', { exact: true }).fill(owner.password);
  await on.getByRole('button', { name: 'Sign in', exact: true }).click();
  await on.getByRole('heading', { name: 'Projects' }).waitFor();
}

async function rename(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit user' }).click();
  await dialog('Edit user').getByLabel('Name').fill(name);
  await dialog('Edit user').getByRole('button', { name: 'Save' }).click();
  await title(name).waitFor();
}

describe.skipIf(noChromium)(
  `the history in the dashboard${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      await buildDashboard();
      folder = await makePassableFolder('gatebook-history-');
      product = await startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data'), GATEBOOK_RATE_LIMITS: 'off' });
      const client = createOwnerClient({
        baseUrl: product.url,
        projectId: 'internal',
        publishableClientKey: internalKeys.client,
        tokenStore: createMemoryTokenStore(),
      });
      await client.setup.complete({ token: product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop', description: '' });
      admin = client.admin(project.id);
      const user = await admin.users.create({ displayName: 'Ann Achebe', primaryEmail: 'ann@mail.example' });
      await admin.permissions.create('project', { id: 'billing', description: '', containedPermissionIds: [] });
      home = `${product.url}/projects/${project.id}`;
      userPath = `${home}/users/${user.id}`;
      browser = await launchChromium();
      watch = watchPages(browser, product.url);
      page = await watch.open({ colorScheme: 'light' });
      await signIn(page);
    });
    afterAll(async () => {
      await browser?.close();
      await product?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    test('a change can be undone from its toast', async () => {
      await page.goto(userPath);
      await title('Ann Achebe').waitFor();
      await rename('Bo Lindgren');
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
      await title('Ann Achebe').waitFor();
      await page.getByText('Undone', { exact: true }).waitFor();
    });

    test('the audit log shows what a change did, and values filter it', async () => {
      await page.getByRole('link', { name: 'Open in audit log' }).click();
      await title('Audit log').waitFor();
      await page.getByRole('button', { name: /display name to Bo Lindgren/ }).click();
      const row = page.getByRole('row', { name: /display_name/ });
      await row.getByText('Ann Achebe').waitFor();
      expect(await row.locator('del').textContent()).toBe('Ann Achebe');
      await page.getByRole('button', { name: 'Maya Lindqvist (owner)' }).first().click();
      await page.getByRole('button', { name: /^Remove filter: By: / }).waitFor();
      expect(new URL(page.url()).searchParams.get('actor')).toMatch(/^[0-9a-f-]{36}$/);
      await page.reload();
      await page.getByRole('button', { name: /display name to Bo Lindgren/ }).waitFor();
    });

    test('an explanation says what is missing for a permission', async () => {
      await page.goto(userPath);
      await page.getByRole('button', { name: 'Explain billing' }).click();
      await dialog('Why billing?').getByText('One of these grants would be enough: billing').waitFor();
      await page.keyboard.press('Escape');
    });

    test('a dialog shows what its action would do', async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete user' }).click();
      await dialog('Delete this user?').getByText('Cannot be undone. Deleted data is erased.').waitFor();
      await page.keyboard.press('Escape');
    });

    test('all pages of a project show the past, without actions', async () => {
      await rename('Bo Lindgren');
      await page.getByRole('button', { name: 'View as of…' }).click();
      await page.getByRole('button', { name: 'Next change' }).click();
      await page.getByText(/^Viewing .* read-only$/).waitFor();
      const { items } = await admin.audit.list({ order: 'asc', type: 'UserRenamed', limit: 1 });
      await page.goto(`${userPath}?as_of=${items[0]?.id}`);
      await title('Bo Lindgren').waitFor();
      await page.getByRole('button', { name: 'Previous change' }).click();
      await title('Ann Achebe').waitFor();
      expect(await page.getByRole('button', { name: 'Edit user' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Compare with now' }).click();
      await dialog('Changes until now')
        .getByRole('row', { name: /display_name/ })
        .getByText('Bo Lindgren')
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Users', exact: true }).first().click();
      await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await page.getByRole('link', { name: 'Bo Lindgren' }).waitFor();
    });

    test('a rejected request is found by its ID', async () => {
      const answer = await fetch(`${product.url}/api/v1/users/me`, {
        headers: { 'x-stack-access-type': 'client', 'x-stack-project-id': admin.projectId },
      });
      const requestId = answer.headers.get('x-stack-request-id');
      expect(answer.ok).toBe(false);
      await expect
        .poll(() =>
          admin.explanations.rejection(requestId ?? '').then(
            ({ status }) => status,
            () => null,
          ),
        )
        .toBe(answer.status);
      await page.goto(`${home}/rejections/${requestId}`);
      await title('Rejected request').waitFor();
      await page.getByLabel('Failed').first().waitFor();
    });

    test('the pages fit 390 px and are accessible in light and dark mode', async () => {
      const phone = await watch.open({ colorScheme: 'light', width: 390 });
      await signIn(phone);
      const { items } = await admin.audit.list({ order: 'asc', type: 'UserRenamed', limit: 1 });
      const eventId = items[0]?.id;
      for (const [path, sign] of [
        [`${home}/audit-log`, 'Technical events'],
        [`${home}/audit-log?event=${eventId}&type=UserRenamed`, 'Event data'],
        [`${userPath}?as_of=${eventId}`, 'Back to now'],
        [`${home}/users?as_of=${eventId}`, 'Bo Lindgren'],
      ] as const) {
        await phone.goto(path);
        await phone.getByText(sign).first().waitFor();
        expect({
          path,
          overflow: await findOverflow(phone),
          issues: await findAccessFaults(phone),
          contrast: await findLowContrast(phone),
          dark: await findLowContrastInDark(phone),
        }).toEqual({ path, overflow: 0, issues: [], contrast: [], dark: [] });
      }
      await phone.close();
    });

    test('causes no browser errors and no third-party requests', () => {
      expect(watch.complaints).toEqual([]);
    });
  },
);
