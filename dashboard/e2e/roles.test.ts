import type { ProjectRole } from '@gatebook/js/admin';
import { createMemoryTokenStore } from '@gatebook/js/core';
import { type AdminClient, createOwnerClient, type OwnerClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createMailReader } from '../../infra/testing/mails.ts';
import { internalKeys } from '../../infra/testing/product.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
const roles = ['owner', 'developer', 'support', 'read_only'] as const satisfies readonly ProjectRole[];
const labels = { owner: 'Owner', developer: 'Developer', support: 'Support', read_only: 'Read-only' } as const;
const accountOf = (role: ProjectRole) => ({
  email: `${role.replace('_', '-')}@gatebook.example`,
  password: 'open the gate',
});

let started: BrowserProduct;
let client: OwnerClient;
let admin: AdminClient;
let mails: ReturnType<typeof createMailReader>;
let userId = '';
let teamId = '';

/** `least`: the lowest role for which the control is enabled. */
const controls: readonly { path: () => string; name: string; least: ProjectRole }[] = [
  { path: () => '/users', name: 'Create user', least: 'support' },
  { path: () => `/users/${userId}`, name: 'Edit user', least: 'support' },
  { path: () => `/users/${userId}`, name: 'Add email', least: 'developer' },
  { path: () => '/teams', name: 'Create team', least: 'support' },
  { path: () => `/teams/${teamId}`, name: 'Delete team', least: 'developer' },
  { path: () => '/emails/magic_link', name: 'Send a test to me', least: 'developer' },
  { path: () => '/settings/keys', name: 'Create key', least: 'developer' },
  { path: () => '/settings/danger-zone', name: 'Delete project', least: 'owner' },
  { path: () => '/members', name: 'Invite member', least: 'owner' },
];
const pages = () => [
  '',
  '/users',
  '/deleted-users',
  `/users/${userId}`,
  '/teams',
  '/deleted-teams',
  `/teams/${teamId}`,
  '/permissions',
  '/audit-log',
  '/events',
  '/webhooks',
  '/emails',
  '/emails/magic_link',
  '/members',
  ...['general', 'sign-in-methods', 'providers', 'domains', 'email', 'security', 'keys', 'danger-zone'].map(
    (page) => `/settings/${page}`,
  ),
];

describe.skipIf(noChromium)(
  `the dashboard by role${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('roles');
      const { product } = started;
      mails = createMailReader(product.url);
      client = createOwnerClient({
        baseUrl: product.url,
        projectId: 'internal',
        publishableClientKey: internalKeys.client,
        tokenStore: createMemoryTokenStore(),
      });
      await client.setup.complete({ token: product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop' });
      admin = client.admin(project.id);
      userId = (await admin.users.create({ primaryEmail: 'ann@mail.example', displayName: 'Ann Achebe' })).id;
      teamId = (await admin.teams.create({ displayName: 'Editors' })).id;
      await admin.webhooks.create({ url: 'https://shop.example.com/hooks' });
    });
    afterAll(() => started?.close());

    async function openPage(role: ProjectRole): Promise<{ page: Page; failures: string[] }> {
      const { product, watch } = started;
      const page = await watch.open({ colorScheme: 'light' });
      const failures: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400) failures.push(`${response.status()} ${new URL(response.url()).pathname}`);
      });
      await page.goto(`${product.url}/handler/sign-in`);
      await signInByPassword(page, accountOf(role));
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      return { page, failures };
    }

    test.each(roles)('an invited person signs up as %s', async (role) => {
      const { email, password } = accountOf(role);
      await admin.members.invite(email, role);
      const page = await started.watch.open({ colorScheme: 'light' });
      await page.goto((await mails.next(email)).link);
      await page.getByRole('heading', { name: 'Join Acme Shop' }).waitFor();
      await page.getByText(`You’ve been invited with the role ${labels[role]}.`).waitFor();
      await page.getByLabel('Your name').fill(labels[role]);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account and join' }).click();
      await page.getByRole('heading', { level: 1, name: 'Acme Shop', exact: true }).waitFor();
      await page.close();
      expect((await admin.members.list()).find((member) => member.primaryEmail === email)?.role).toBe(role);
    });

    test.each(roles)('opens every page as %s without a failed call', async (role) => {
      const { page, failures } = await openPage(role);
      for (const path of pages()) {
        await page.goto(`${started.product.url}/projects/${admin.projectId}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.getByRole('status', { name: /^Loading/ }).count(), { timeout: 30_000 }).toBe(0);
        expect({ path, failures: failures.splice(0) }).toEqual({ path, failures: [] });
      }
      await page.close();
    });

    test.each(roles)('lets %s use the controls that the role allows', async (role) => {
      const { page } = await openPage(role);
      for (const { path, name, least } of controls) {
        await page.goto(`${started.product.url}/projects/${admin.projectId}${path()}`);
        const button = page.getByRole('button', { name, exact: true }).first();
        await button.waitFor();
        const isAllowed = roles.indexOf(role) <= roles.indexOf(least);
        await expect
          .poll(() => button.isEnabled().then((isEnabled) => ({ name, isEnabled })))
          .toEqual({
            name,
            isEnabled: isAllowed,
          });
      }
      await page.close();
    });

    test('says to members of other projects that operations are not for them', async () => {
      const { page, failures } = await openPage('owner');
      await page.goto(`${started.product.url}/operations`);
      await page.getByText('You can’t open this page').waitFor();
      expect(failures).toEqual([]);
      await page.close();
    });

    test('has no complaint of the browser', () => {
      expect(started.watch.complaints).toEqual([]);
    });
  },
);
