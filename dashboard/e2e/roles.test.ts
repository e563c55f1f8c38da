import { readFile } from 'node:fs/promises';
import type { ProjectRole } from '@gatebook/js/admin';
import type { AdminClient, OwnerClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BrowserProduct, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { untilLoaded, walkTo } from '../../infra/testing/dashboard-walk.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';
import { createMailReader } from '../../infra/testing/mails.ts';
import { pageRoutes, pathOf, type RouteParams } from './route-table.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
const roles = ['owner', 'developer', 'support', 'read_only'] as const satisfies readonly ProjectRole[];
const labels = { owner: 'Owner', developer: 'Developer', support: 'Support', read_only: 'Read-only' } as const;
const accountOf = (role: ProjectRole) => ({
  email: `${role.replace('_', '-')}@gatebook.example`,
  password: 'open the gate',
});

const home = '/projects/$projectId';
/** A control that needs a role, on each page that has one. `least`: the lowest role for which it is enabled. */
const controls: Readonly<Record<string, readonly { name: string; least: ProjectRole }[]>> = {
  [`${home}/users`]: [{ name: 'Create user', least: 'developer' }],
  [`${home}/users/$userId`]: [
    { name: 'Edit user', least: 'support' },
    { name: 'Add email', least: 'developer' },
  ],
  [`${home}/teams`]: [{ name: 'Create team', least: 'support' }],
  [`${home}/teams/$teamId`]: [{ name: 'Delete team', least: 'developer' }],
  [`${home}/permissions`]: [{ name: 'Create team permission', least: 'developer' }],
  [`${home}/emails/$emailType`]: [{ name: 'Send a test to me', least: 'developer' }],
  [`${home}/members`]: [{ name: 'Invite member', least: 'owner' }],
  [`${home}/settings/keys`]: [{ name: 'Create key', least: 'developer' }],
  [`${home}/settings/danger-zone`]: [{ name: 'Delete project', least: 'owner' }],
};
const catalog = await readFile(new URL('../src/languages/de.po', import.meta.url), 'utf8');
const toGerman = (text: string) =>
  new RegExp(`^msgid "${text}"\nmsgstr "(.+)"$`, 'm').exec(catalog)?.[1] ?? expect.fail(`no German for ${text}`);

/** These need no session. */
const publicRoutes = ['/setup', '/project-invitation'];

/** A page that stays open, so that everybody signs in once. */
type OpenPage = { page: Page; failures: string[] };

let started: BrowserProduct;
let client: OwnerClient;
let admin: AdminClient;
let mails: ReturnType<typeof createMailReader>;
let params: RouteParams = {};
const openPages = new Map<ProjectRole, OpenPage>();

function pageOf(role: ProjectRole): OpenPage {
  const open = openPages.get(role);
  if (!open) throw new Error(`nobody signed up as ${role}`);
  return open;
}

/** Sends a request that is rejected. @returns its ID */
async function rejectSignIn(url: string, projectId: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/password/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectId,
    },
    body: JSON.stringify({ email: 'ann@mail.example', password: 'a wrong one' }),
  });
  expect(response.ok).toBe(false);
  const requestId = response.headers.get('x-stack-request-id') ?? '';
  await vi.waitFor(() => admin.explanations.rejection(requestId));
  return requestId;
}

/** Pages with lists of what the API says happened. */
const toldByApi = [`${home}/audit-log`, `${home}/users/$userId`, `${home}/rejections/$requestId`];

/** Names of pages, parts and fields with words that German does not have. Quoted errors of the API are in English. */
const findEnglish = (page: Page, route: string): Promise<string[]> =>
  page.evaluate(
    (selectors) =>
      [...document.querySelectorAll<HTMLElement>(selectors)]
        // Texts of emails say their own language.
        .filter((element) => element.closest('[lang]') === document.documentElement)
        .map((element) => element.innerText.replaceAll(/„[^“]*“/g, ''))
        .filter((text) => /\b(the|and|of|with|this|that|are|is|your|not|from|by|no|to|last)\b/i.test(text)),
    `h1, h2, h3, nav a, label, th, dt, legend, main p${toldByApi.includes(route) ? ', main li' : ''}`,
  );

describe.skipIf(noChromium)(
  `the dashboard by role${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('roles');
      const { product } = started;
      mails = createMailReader(product.url);
      client = createInternalClient(product.url);
      await client.setup.complete({ token: product.setupToken ?? '', ...owner });
      const { id: projectId } = await client.projects.create({ displayName: 'Acme Shop' });
      admin = client.admin(projectId);
      const { id: endpointId } = await admin.webhooks.create({ url: 'http://localhost:3000/hooks', types: null });
      const { id: userId } = await admin.users.create({ primaryEmail: 'ann@mail.example', displayName: 'Ann Achebe' });
      const { id: teamId } = await admin.teams.create({ displayName: 'Editors' });
      const requestId = await rejectSignIn(product.url, projectId);
      const deliveryId = await vi.waitFor(async () => {
        const [first] = (await admin.webhooks.listDeliveries(endpointId)).items;
        if (!first) throw new Error('nothing was delivered yet');
        return first.id;
      });
      params = {
        projectId,
        userId,
        teamId,
        endpointId,
        deliveryId,
        requestId,
        emailType: 'magic_link',
        objectType: 'email_template',
        objectId: 'magic_link',
      };
    });
    afterAll(() => started?.close());

    test.each(roles)('an invited person signs up as %s', async (role) => {
      const { email, password } = accountOf(role);
      await admin.members.invite(email, role);
      const page = await started.watch.open({ colorScheme: 'light' });
      const failures: string[] = [];
      page.on('response', (response) => {
        // Known errors arrive as 200 with their status in a header.
        const status = Number(response.headers()['x-stack-actual-status'] ?? response.status());
        if (status >= 400) failures.push(`${status} ${new URL(response.url()).pathname}`);
      });
      await page.goto((await mails.next(email)).link);
      await page.getByRole('heading', { name: 'Join Acme Shop' }).waitFor();
      await page.getByText(`You’ve been invited with the role ${labels[role]}.`).waitFor();
      await page.getByLabel('Your name').fill(labels[role]);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account and join' }).click();
      await page.getByRole('heading', { level: 1, name: 'Acme Shop', exact: true }).waitFor();
      expect((await admin.members.list()).find((member) => member.primaryEmail === email)?.role).toBe(role);
      openPages.set(role, { page, failures });
    });

    /** Opens every page, expects no failed call and the controls of the role, and lets `look` look at the page. */
    async function walkAs(role: ProjectRole, nameOf = (name: string) => name, look?: (route: string) => Promise<void>) {
      const { page, failures } = pageOf(role);
      for (const route of pageRoutes.filter((path) => !publicRoutes.includes(path))) {
        await walkTo(page, pathOf(route, params));
        expect({ route, alerts: await page.getByRole('alert').allInnerTexts() }).toEqual({ route, alerts: [] });
        for (const { name, least } of controls[route] ?? []) {
          const button = page.getByRole('button', { name: nameOf(name), exact: true }).first();
          const isEnabled = roles.indexOf(role) <= roles.indexOf(least);
          await expect
            .poll(() => button.isEnabled().then((is) => ({ route, name, isEnabled: is })))
            .toEqual({ route, name, isEnabled });
        }
        expect({ route, failures: failures.splice(0) }).toEqual({ route, failures: [] });
        await look?.(route);
      }
    }

    const others = roles.filter((role) => role !== 'owner');
    test.each(others)('opens every page as %s without a failed call, with the controls of the role', async (role) => {
      const { page } = pageOf(role);
      await page.goto(`${started.product.url}${pathOf(home, params)}`);
      await untilLoaded(page);
      await walkAs(role);
    });

    test('shows the controls of a role on pages that exist', () => {
      expect(Object.keys(controls).filter((route) => !pageRoutes.includes(route))).toEqual([]);
    });

    test('opens every page as owner in German once it is chosen, which errors of the API are in too', async () => {
      const { page, failures } = pageOf('owner');
      await page.goto(`${started.product.url}${pathOf(home, params)}`);
      await untilLoaded(page);
      await page.getByRole('button', { name: 'Display' }).click();
      await page.getByRole('menuitem', { name: 'Deutsch' }).click();
      await page.getByRole('heading', { name: 'Aktive Benutzer' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
      await walkAs('owner', toGerman, async (route) => {
        expect({ route, english: await findEnglish(page, route) }).toEqual({ route, english: [] });
      });
      await walkTo(page, pathOf(`${home}/audit-log`, params));
      await page.getByRole('main').getByText('Team „Editors“ erstellt').waitFor();
      await walkTo(page, pathOf(`${home}/rejections/$requestId`, { ...params, requestId: '0123456789abcdef' }));
      await page.getByRole('alert').getByText('Keine fehlgeschlagene Anfrage dieses Projekts').waitFor();
      // The page would ask again in the other language.
      await walkTo(page, pathOf(home, params));
      failures.splice(0);
      await page.getByRole('button', { name: 'Anzeige', exact: true }).click();
      await page.getByRole('menuitem', { name: 'English' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    });

    test('says to members of other projects that operations are not for them', async () => {
      const { page, failures } = pageOf('owner');
      await page.goto(`${started.product.url}/operations`);
      await page.getByText('You can’t open this page').waitFor();
      expect(failures).toEqual([]);
    });

    test('has no complaint of the browser', () => {
      expect(started.watch.complaints).toEqual([]);
    });
  },
);
