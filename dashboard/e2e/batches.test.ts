import type { AdminClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
const users = 40;

let started: BrowserProduct;
let page: Page;
let admin: AdminClient;
let home = '';

const bar = () => page.getByRole('region', { name: 'Batch' });

describe.skipIf(noChromium)(
  `a batch of users${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('batches');
      page = started.page;
      const client = createInternalClient(started.product.url);
      await client.setup.complete({ token: started.product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop', description: '' });
      admin = client.admin(project.id);
      home = `${started.product.url}/projects/${project.id}`;
      const create = (nth: number) => admin.users.create({ displayName: `User ${nth}` });
      for (let first = 0; first < users; first += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, offset) => create(first + offset)));
      }
      await page.goto(`${started.product.url}/handler/sign-in`);
      await signInByPassword(page, owner);
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
    });
    afterAll(() => started?.close());

    test('goes on while no tab is open, and shows its end in the next one', async () => {
      await page.goto(`${home}/users`);
      await page.getByRole('checkbox', { name: 'Select all users on this page' }).click();
      await page.getByRole('button', { name: `Select all ${users} users that match` }).click();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Restrict', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Restrict users' });
      await dialog.getByText('Of the first 10 users: 10 users change').waitFor();
      await dialog.getByRole('button', { name: `Restrict ${users} users` }).click();
      await bar().waitFor();
      const context = page.context();
      await page.close();
      await expect
        .poll(async () => (await admin.userBatches.list())[0], { timeout: testDeadlineMs })
        .toMatchObject({ status: 'completed', done: users, failed: 0 });
      page = await context.newPage();
      await page.goto(`${home}/teams`);
      await bar().getByText(`Complete: ${users} of ${users} users`).waitFor();
    });

    test('is undone after a preview, and can be undone again from the audit log', async () => {
      const restricted = async () => (await admin.users.count({ isRestricted: true })).count;
      const [batch] = await admin.userBatches.list();
      const { items } = await admin.users.search({ limit: 1 });
      await admin.users.update(items[0]?.id ?? '', { restrictedByAdmin: true, restrictedByAdminReason: 'Fraud' });
      await bar().getByRole('button', { name: 'Undo', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Undo this batch?' });
      await dialog.getByText(`${users - 1} users change`).waitFor();
      await dialog.getByText('1 user: The action can’t be undone, because some of its fields have changed').waitFor();
      await dialog.getByRole('button', { name: `Undo the changes to ${users} users` }).click();
      await bar().getByText(`Complete: ${users} of ${users} users, 1 failed`).waitFor();
      expect(await restricted()).toBe(1);
      expect((await admin.userBatches.list())[0]).toMatchObject({ type: 'undo', undoesBatchId: batch?.id });
      await page.goto(`${home}/audit-log?type=UserBatchStarted`);
      await page.getByRole('button', { name: `Started a batch: undo another batch, ${users} users` }).click();
      await page.getByRole('listitem').getByRole('button', { name: 'Undo', exact: true }).click();
      await dialog.getByRole('button', { name: `Undo the changes to ${users - 1} users` }).click();
      await bar()
        .getByText(`Complete: ${users - 1} of ${users - 1} users`)
        .waitFor();
      expect(await restricted()).toBe(users);
      await bar().getByRole('button', { name: 'Close' }).click();
      await page.reload();
      await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor();
      expect(await bar().count()).toBe(0);
    });
  },
);
