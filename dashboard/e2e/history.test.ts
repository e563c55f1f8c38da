import { readFile } from 'node:fs/promises';
import type { AdminClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInToDashboard, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';
import type { Product } from '../../infra/testing/product.ts';
import type { Watch } from '../../infra/testing/watched-page.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };

let started: BrowserProduct;
let product: Product;
let page: Page;
let watch: Watch;
let admin: AdminClient;
let home = '';
let userPath = '';
let teamPath = '';

const title = (name: string) => page.getByRole('heading', { level: 1, name });
const dialog = (name: string) => page.getByRole('dialog', { name });

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
      started = await startBrowserProduct('history');
      ({ product, watch, page } = started);
      const client = createInternalClient(product.url);
      await client.setup.complete({ token: product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop', description: '' });
      admin = client.admin(project.id);
      const user = await admin.users.create({ displayName: 'Ann Achebe', primaryEmail: 'ann@mail.example' });
      const team = await admin.teams.create({ displayName: 'Editors' });
      for (const id of ['edit_posts', 'publish']) {
        const containedPermissionIds = id === 'publish' ? ['edit_posts'] : [];
        await admin.permissions.create('team', { id, description: '', containedPermissionIds });
      }
      const expiresAt = new Date(Date.now() + 86_400_000);
      await admin.keys.create({ description: 'Website', expiresAt, kinds: ['publishableClientKey'] });
      await admin.teams.addMember(team.id, user.id);
      await admin.permissions.grant({ teamId: team.id, userId: user.id }, 'publish');
      await admin.permissions.create('project', { id: 'billing', description: '', containedPermissionIds: [] });
      home = `${product.url}/projects/${project.id}`;
      userPath = `${home}/users/${user.id}`;
      teamPath = `${home}/teams/${team.id}`;
      await signInToDashboard(page, product, owner);
    });
    afterAll(() => started?.close());

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
      await page.getByRole('button', { name: 'Why billing?' }).click();
      await dialog('Why billing?').getByText('One of these grants would be enough:').waitFor();
      await dialog('Why billing?').getByRole('button', { name: 'Grant billing' }).waitFor();
      await page.keyboard.press('Escape');
    });

    test('a dialog shows what its action would do', async () => {
      await page.goto(userPath);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete user' }).click();
      await dialog('Delete this user?').getByText('Cannot be undone. Deleted data is erased.').waitFor();
      await page.keyboard.press('Escape');
    });

    test('all pages of a project show the past, without actions', async () => {
      await rename('Bo Lindgren');
      await page.goto(userPath);
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

    test('in the past, only what reads is enabled', async () => {
      const { items } = await admin.audit.list({ order: 'asc', type: 'TeamMemberAdded', limit: 1 });
      const asOf = `?as_of=${items[0]?.id}`;
      for (const [path, sign, enabled] of [
        [userPath, 'Project permissions', /^(Explain|Why|History of|Copy|Load older|.* ago)/],
        [teamPath, 'Invitations', /^(Why|Permissions of|History of|Load older|.* ago)/],
        [`${home}/permissions`, 'Default permissions', /^(History of|Show holders of)/],
        [`${home}/keys`, 'Website', /^History of/],
        [`${home}/settings/general`, 'Production mode', /^History of/],
        [`${home}/settings/sign-in-methods`, 'Anonymous accounts', /^History of/],
      ] as const) {
        await page.goto(`${path}${asOf}`);
        await page.getByText(sign).first().waitFor();
        await page.getByText('Loading', { exact: false }).first().waitFor({ state: 'hidden' });
        const names = await page
          .locator('main')
          .evaluate((main) =>
            [...main.querySelectorAll('button:enabled, input:enabled, select:enabled, textarea:enabled')]
              .filter((control) => !control.closest('[aria-label="View as of"], [aria-labelledby="history-title"]'))
              .map((control) => control.getAttribute('aria-label') ?? control.textContent ?? ''),
          );
        expect(names.filter((name) => !enabled.test(name))).toEqual([]);
        expect(await page.getByRole('alert').count()).toBe(0);
      }
      const title = 'The past is read-only. Go back to now to make changes.';
      expect(await page.getByRole('switch', { name: /^Sign-up/ }).isDisabled()).toBe(true);
      expect(await page.locator(`fieldset[title="${title}"]`).count()).toBeGreaterThan(0);
    });

    test('a membership and a key have a history and a reason', async () => {
      await page.goto(teamPath);
      await page.getByRole('button', { name: 'Why is Bo Lindgren a member?' }).click();
      await dialog('Why is Bo Lindgren a member?').getByText('TeamMemberAdded').waitFor();
      await page.goto(`${home}/keys`);
      await page.getByRole('button', { name: 'History of Website' }).click();
      await dialog('History of Website').getByText('Created the project key Website').waitFor();
      await page.keyboard.press('Escape');
    });

    test('a change of a permission shows who loses what before it is saved', async () => {
      await page.goto(`${home}/permissions`);
      await page.getByRole('button', { name: 'Edit publish' }).click();
      await dialog('Edit permission').getByRole('combobox', { name: 'Contains' }).press('Backspace');
      await dialog('Edit permission').getByText('1 person loses edit_posts').waitFor();
      await page.keyboard.press('Escape');
    });

    test('a deleted user has a page, and one as it last was', async () => {
      const gone = await admin.users.create({ displayName: 'Chidi Okafor' });
      await admin.users.delete(gone.id);
      await page.goto(`${home}/audit-log?type=UserDeleted&target=user:${gone.id}`);
      await page.locator('li button[aria-expanded]').click();
      await page.getByRole('link', { name: gone.id, exact: true }).click();
      await page.getByRole('heading', { name: 'This user was deleted' }).waitFor();
      await page.getByRole('link', { name: 'View the user as they last were' }).click();
      await title('Unnamed user').waitFor();
      await page.getByRole('button', { name: 'Back to now' }).waitFor();
    });

    test('values are left out with Alt and by menu, and a time range is in the zone of choice', async () => {
      await page.goto(`${home}/audit-log`);
      const named = page.locator('main li').getByRole('button', { name: 'Bo Lindgren', exact: true });
      await named.first().click({ modifiers: ['Alt'] });
      await page.getByRole('button', { name: 'Remove filter: Not user: Bo Lindgren' }).waitFor();
      await named.first().waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'Remove filter: Not user: Bo Lindgren' }).waitFor();
      await page.getByRole('button', { name: /^Created the project key Website/ }).click();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Type: ProjectKeyCreated' }).last().click();
      await page.getByRole('button', { name: 'Remove filter: Not type: ProjectKeyCreated' }).waitFor();
      await page.getByRole('combobox', { name: 'Time', exact: true }).selectOption('From … until …');
      await dialog('Time range').getByRole('switch', { name: 'Times in UTC' }).click();
      await dialog('Time range').getByLabel('From').fill('2020-01-01T00:00');
      await dialog('Time range').getByRole('button', { name: 'Show' }).click();
      await page.getByRole('button', { name: /^Remove filter: After Jan 1, 2020, 12:00:00\sAM UTC$/ }).waitFor();
      const search = new URL(page.url()).searchParams;
      expect([...search.keys()].sort()).toEqual(['from', 'not_target', 'not_type', 'zone']);
      expect(search.get('from')).toBe(String(Date.UTC(2020, 0, 1)));
      await page.locator('main li').first().waitFor();
      expect(await page.locator('main li').getByText('Website').count()).toBe(0);
    });

    test('a deleted permission, a revoked key and a template that was reset have pages', async () => {
      await admin.permissions.create('team', { id: 'archive', description: 'Old', containedPermissionIds: [] });
      await admin.permissions.delete('team', 'archive');
      const expiresAt = new Date(Date.now() + 86_400_000);
      const key = await admin.keys.create({ description: 'Old site', expiresAt, kinds: ['publishableClientKey'] });
      await admin.keys.revoke(key.id);
      const template = (await admin.emails.listTemplates()).find(({ type }) => type === 'magic_link');
      await admin.emails.updateTemplate('magic_link', { subject: 'Code for Acme', content: template?.content ?? {} });
      await admin.emails.resetTemplate('magic_link');
      for (const [type, link, ended, last] of [
        ['PermissionDefinitionDeleted', 'archive', 'This permission was deleted', 'Old'],
        ['ProjectKeyRevoked', 'Old site', 'This project key was revoked', 'Old site'],
        ['EmailTemplateReset', 'magic_link', 'This email template was reset', 'Code for Acme'],
      ] as const) {
        await page.goto(`${home}/audit-log?type=${type}`);
        await page.locator('li button[aria-expanded]').first().click();
        await page.getByRole('link', { name: link, exact: true }).click();
        await page.getByRole('heading', { name: ended }).waitFor();
        await page.locator('dd').getByText(last, { exact: true }).waitFor();
        await page
          .locator('main li')
          .getByText(/Created|Changed|Edited/)
          .first()
          .waitFor();
      }
      await page.getByRole('link', { name: 'View the template as it last was' }).click();
      await title('Sign-in code').waitFor();
      const subject = page.getByLabel('Subject', { exact: true });
      await expect.poll(() => subject.inputValue()).toBe('Code for Acme');
      expect(await subject.isDisabled()).toBe(true);
      await page.getByTitle('Email preview').waitFor();
      await page.getByRole('button', { name: 'Next change' }).click();
      await expect.poll(() => subject.inputValue().catch(() => '')).toBe(template?.subject);
    });

    test('the audit log is exported with its filters', async () => {
      // Without the picker of Chromium, whose window no test can answer.
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'));
      await page.goto(`${home}/audit-log?type=UserRenamed`);
      await page.getByRole('button', { name: 'Export' }).click();
      const download = page.waitForEvent('download');
      await dialog('Export audit log').getByRole('radio', { name: 'CSV' }).click();
      await dialog('Export audit log').getByRole('button', { name: 'Export' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(/^audit-log-.*\.csv$/);
      const rows = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
      expect(rows[0]).toMatch(/^\ufeffid,time,/);
      expect(rows.slice(1, -1).every((row) => row.includes(',UserRenamed,'))).toBe(true);
      expect(rows.at(-1)).toMatch(/^,,,end,/);
      await dialog('Export audit log')
        .getByText(`${rows.length - 2} events`)
        .waitFor();
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

    test('causes no browser errors and no third-party requests', () => {
      expect(watch.complaints).toEqual([]);
    });
  },
);
