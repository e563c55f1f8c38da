import type { AdminClient, OwnerClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
const outdated =
  'Something has changed since the preview, so nothing was saved. Check the new preview, then confirm again.';

let started: BrowserProduct;
let page: Page;
let client: OwnerClient;
let admin: AdminClient;
let home = '';
let userId = '';
let endpointId = '';

const openMenu = async (item: string): Promise<void> => {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const dialog = (name: string) => page.getByRole('dialog', { name });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

/** Waits until a preview is shown. */
const untilPreviewed = () =>
  page
    .getByText(/^Can(not)? be undone\./)
    .first()
    .waitFor();

/** Does what makes a write. @returns its path and whether it had a precondition, and what it answered */
async function watchWrite(act: () => Promise<void>) {
  const isWrite = (request: Request) =>
    request.method() !== 'GET' && !/\/(auth|previews)(\/|$)/.test(new URL(request.url()).pathname);
  const [request] = await Promise.all([page.waitForRequest(isWrite), act()]);
  const response = await request.response();
  return {
    path: new URL(request.url()).pathname.replace('/api/v1', ''),
    isConditional: /^".+"$/.test(request.headers()['if-match'] ?? ''),
    status: Number(response?.headers()['x-stack-actual-status'] ?? response?.status()),
  };
}

describe.skipIf(noChromium)(
  `dialogs with a preview${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('previews');
      page = started.page;
      client = createInternalClient(started.product.url);
      await client.setup.complete({ token: started.product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop', description: '' });
      admin = client.admin(project.id);
      home = `${started.product.url}/projects/${project.id}`;
      await admin.permissions.create('project', { id: 'billing', description: '', containedPermissionIds: [] });
      await admin.permissions.create('project', { id: 'reports', description: '', containedPermissionIds: [] });
      userId = (await admin.users.create({ displayName: 'Ann Achebe', primaryEmail: 'ann@mail.example' })).id;
      endpointId = (await admin.webhooks.create({ url: 'http://localhost:3000/hooks', types: ['user.*'] })).id;
      await page.goto(`${started.product.url}/handler/sign-in`);
      await signInByPassword(page, owner);
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
    });
    afterAll(() => started?.close());

    test('write nothing after another change, and show the new preview', async () => {
      await page.goto(`${home}/users/${userId}`);
      await openMenu('Restrict user');
      await dialog('Restrict user').getByLabel('Reason').fill('Spam');
      await dialog('Restrict user').getByText('Sends events to 1 webhook endpoint: user.updated').waitFor();
      await untilPreviewed();
      await admin.webhooks.update(endpointId, { types: null });
      await admin.users.update(userId, { displayName: 'Ann A. Achebe' });
      const confirm = () => dialog('Restrict user').getByRole('button', { name: 'Restrict user' }).click();
      const path = `/users/${userId}`;
      expect(await watchWrite(confirm)).toEqual({ path, isConditional: true, status: 412 });
      await dialog('Restrict user').getByRole('alert').getByText(outdated).waitFor();
      await page.getByRole('heading', { name: 'Ann A. Achebe' }).waitFor();
      expect(await dialog('Restrict user').getByRole('list', { name: 'Since you opened this:' }).innerText()).toBe(
        'Changed the display name to Ann A. Achebe',
      );
      expect((await admin.users.find(userId)).restrictedByAdmin).toBe(false);
      await untilPreviewed();
      expect(await watchWrite(confirm)).toEqual({ path, isConditional: true, status: 200 });
      await dialog('Restrict user').waitFor({ state: 'hidden' });
      expect((await admin.users.find(userId)).restrictedByAdminReason).toBe('Spam');
    });

    test('make the write that they previewed', async () => {
      await page.goto(`${home}/users/${userId}`);
      const made: Awaited<ReturnType<typeof watchWrite>>[] = [];
      const confirm = async (within: string, button: string): Promise<void> => {
        await untilPreviewed();
        made.push(await watchWrite(() => dialog(within).getByRole('button', { name: button, exact: true }).click()));
        await dialog(within).waitFor({ state: 'hidden' });
      };
      const save = async (): Promise<void> => {
        await untilPreviewed();
        made.push(await watchWrite(() => press('Save')));
        await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' });
      };
      await openMenu('Lift restriction');
      await confirm('Lift this restriction?', 'Lift restriction');
      await openMenu('Set password');
      await dialog('Set password').getByLabel('New password').fill('correct horse');
      await confirm('Set password', 'Set password');
      for (const id of ['billing', 'reports']) await page.getByRole('switch', { name: `Grant ${id}` }).press(' ');
      await save();
      await press('Remove password');
      await confirm('Remove the password?', 'Remove password');
      await page.goto(`${home}/permissions`);
      await press('Edit billing');
      await dialog('Edit permission').getByLabel('Description').fill('Invoices');
      await confirm('Edit permission', 'Save');
      await page.goto(`${home}/webhooks/${endpointId}`);
      await press('Rotate secret');
      await confirm('Rotate the signing secret', 'Rotate secret');
      await openMenu('Disable endpoint');
      await confirm('Disable this endpoint?', 'Disable endpoint');
      await page.goto(`${home}/settings/general`);
      await page.getByLabel('Description').fill('A shop');
      await save();
      await page.goto(`${home}/users/${userId}`);
      await openMenu('Delete user');
      await dialog('Delete this user?').getByRole('textbox').fill('ann@mail.example');
      await confirm('Delete this user?', 'Delete user');
      const user = `/users/${userId}`;
      const endpoint = `/webhooks/endpoints/${endpointId}`;
      expect(made).toEqual(
        [
          ...[user, user, `/project-permissions/${userId}/billing`, user],
          ...['/project-permission-definitions/billing', `${endpoint}/rotate-secret`, endpoint],
          ...['/internal/projects/current', user],
        ].map((path) => ({ path, isConditional: true, status: expect.any(Number) })),
      );
      expect(made.filter(({ status }) => status >= 300)).toEqual([]);
    });

    test('of a transfer to a team say who gains access, and make it', async () => {
      const { teams, users } = client.admin('internal');
      const { id: teamId } = await teams.create({ displayName: 'Crew' });
      const { id: boId } = await users.create({ displayName: 'Bo', primaryEmail: 'bo@mail.example' });
      for (const id of [(await client.me.find()).id, boId]) await teams.addMember(teamId, id);
      await page.goto(`${home}/members`);
      await press('Transfer project');
      const transfer = dialog('Transfer project');
      await transfer.getByRole('combobox', { name: 'New owner' }).click();
      await page.getByRole('option', { name: 'Team Crew' }).click();
      await transfer.getByText('1 person gains access').waitFor();
      await untilPreviewed();
      const confirm = () => transfer.getByRole('button', { name: 'Transfer project' }).click();
      const path = '/internal/projects/transfer';
      expect(await watchWrite(confirm)).toEqual({ path, isConditional: true, status: 200 });
      await page.getByText('A team owns this project.').waitFor();
      expect((await admin.project.find()).ownerTeamId).toBe(teamId);
    });

    test('cause no browser errors', () => {
      expect(started.watch.complaints).toEqual([]);
    });
  },
);
