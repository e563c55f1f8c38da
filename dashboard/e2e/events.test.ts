import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdminClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInToDashboard, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';
import { findPageFaults } from '../../infra/testing/page-checks.ts';
import type { Product } from '../../infra/testing/product.ts';
import type { Watch } from '../../infra/testing/watched-page.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };

let started: BrowserProduct;
let product: Product;
let page: Page;
let watch: Watch;
let admin: AdminClient;
let home = '';
let endpointPath = '';
let receiver: Server;
let receiverUrl = '';
let receivedIds: string[] = [];
let answer = { status: 503, text: 'The database is starting.' };

const title = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const region = (name: string) => page.getByRole('region', { name });
const dialog = (name: string) => page.getByRole('dialog', { name });
const button = (name: string | RegExp) => page.getByRole('button', { name });

/** The server of an app that gets webhooks. */
async function startReceiver(): Promise<void> {
  receiver = createServer((request, response) => {
    receivedIds.push(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(answer.status).end(answer.text);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
}

describe.skipIf(noChromium)(
  `events and webhooks in the dashboard${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      await startReceiver();
      started = await startBrowserProduct('events');
      ({ product, watch, page } = started);
      const client = createInternalClient(product.url);
      await client.setup.complete({ token: product.setupToken ?? '', ...owner });
      const project = await client.projects.create({ displayName: 'Acme Shop', description: '' });
      admin = client.admin(project.id);
      home = `${product.url}/projects/${project.id}`;
      await admin.users.create({ displayName: 'Ann Achebe', primaryEmail: 'ann@mail.example' });
      await signInToDashboard(page, product, owner);
    });
    afterAll(async () => {
      await started?.close();
      receiver?.close();
    });

    test('lists past events, and new ones as they happen', async () => {
      await page.getByRole('link', { name: 'Acme Shop' }).first().click();
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      await button('user.created').waitFor();
      await button('Live').waitFor();
      const team = await admin.teams.create({ displayName: 'Editors' });
      await button('team.created').waitFor();
      await button('Editors').click();
      await button('user.created').waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('team')).toBe(team.id);
      await page.reload();
      await button('team.created').click();
      await page.getByRole('link', { name: 'Open in audit log' }).click();
      await page.getByText('Created the team Editors').waitFor();
    });

    test('filters events by types, and shows the catalog of types', async () => {
      await page.goto(`${home}/events`);
      await page.getByRole('combobox', { name: 'Types' }).fill('user.*');
      await page.getByRole('option', { name: 'user.*' }).click();
      await button('team.created').waitFor({ state: 'detached' });
      await button('user.created').waitFor();
      expect(new URL(page.url()).searchParams.get('types')).toBe('user.*');
      await page.getByRole('link', { name: 'Types' }).click();
      await page.getByText('team_membership.created').click();
      await page.getByRole('link', { name: 'Show these events' }).click();
      await page.getByRole('heading', { name: 'No events match these filters' }).waitFor();
    });

    test('leads from a number of a custom metric to the events that it counts', async () => {
      await admin.customMetrics.create({ displayName: 'New users', eventTypes: ['user.created'], unit: 'day' });
      await page.goto(home);
      await region('New users').getByText('Show as table').click();
      await region('New users').getByRole('link').first().click();
      await title('Events').waitFor();
      await button('user.created').waitFor();
      expect(await button('team.created').count()).toBe(0);
      expect(await button('Live').count()).toBe(0);
      expect(await findPageFaults(page)).toEqual([]);
      await button(/^Remove filter: Time: /).click();
      await button('Live').waitFor();
    });

    test('adds an endpoint, whose secret can be read again and rotated', async () => {
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await button('Add endpoint').click();
      const form = dialog('Add endpoint');
      await form.getByLabel('URL').fill('https://169.254.169.254/latest');
      await form.getByRole('button', { name: 'Add endpoint' }).click();
      await form.getByText(/private network|public/).waitFor();
      await form.getByLabel('URL').fill(receiverUrl);
      await form.getByLabel('Description').fill('Billing');
      await form.getByRole('combobox', { name: 'Events' }).fill('team.*');
      await page.getByRole('option', { name: 'team.*' }).click();
      await page.keyboard.press('Tab');
      await form.getByText('Order, rate limit and headers').click();
      await form.getByRole('button', { name: 'Add header' }).click();
      await form.getByLabel('Name of header 1').fill('Authorization');
      await form.getByLabel('Value of header 1').fill('Bearer t');
      await form.getByRole('button', { name: 'Add endpoint' }).click();
      const saved = dialog('Save the signing secret');
      const secret = (await saved.getByText(/^whsec_/).textContent()) ?? '';
      await saved.getByRole('link', { name: 'Open endpoint' }).click();
      await title(receiverUrl).waitFor();
      endpointPath = new URL(page.url()).pathname;
      await region('Settings').getByText('authorization').waitFor();
      await button('Show secret').click();
      await page.getByText(secret, { exact: true }).waitFor();
      await button('Rotate secret').click();
      await dialog('Rotate the signing secret').getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByText(/also signed with the earlier secret until/).waitFor();
      expect(await page.getByText(secret, { exact: true }).count()).toBe(0);
    });

    /** Also after a test that failed with a dialog open. */
    const openEndpoint = () => page.goto(`${product.url}${endpointPath}`);

    test('shows each attempt of a delivery, and sends it again', async () => {
      [answer, receivedIds] = [{ status: 503, text: 'The database is starting.' }, []];
      await openEndpoint();
      await admin.teams.create({ displayName: 'Press' });
      await region('Deliveries')
        .getByText(/\d attempts?, answered 503/)
        .waitFor();
      await region('Deliveries').getByRole('link', { name: 'team.created' }).click();
      await page.getByText('The database is starting.').first().waitFor();
      await page.getByText('"Press"', { exact: true }).waitFor();
      answer = { status: 200, text: 'ok' };
      await button('Resend').click();
      await page.getByText('Delivered', { exact: true }).waitFor();
      await region('Attempts')
        .getByText(/^resent · /)
        .waitFor();
      expect(new Set(receivedIds).size).toBe(1);
      await page.getByRole('link', { name: receiverUrl }).click();
      // On a slow machine, some are made before the resend.
      await region('Deliveries')
        .getByText(/\d attempts, answered 200/)
        .waitFor();
    });

    test('tests an endpoint, and replays past events', async () => {
      await openEndpoint();
      await button('Send test').click();
      await dialog('Send a test').getByRole('button', { name: 'Send test' }).click();
      await dialog('Send a test').getByText('Accepted: Answered 200').waitFor();
      await page.keyboard.press('Escape');
      await button('Replay events').click();
      const form = dialog('Replay events');
      await form.getByText('1 event will be sent').waitFor();
      await form.getByRole('radio', { name: 'All' }).click();
      await form.getByText('2 events will be sent').waitFor();
      receivedIds = [];
      await form.getByRole('button', { name: 'Replay events' }).click();
      await region('Replay').getByText('2 of 2 events sent, 2 delivered, 0 failed').waitFor();
      expect(new Set(receivedIds).size).toBe(2);
    });

    test('edits and disables an endpoint', async () => {
      await openEndpoint();
      await button('Edit endpoint').click();
      const form = dialog('Edit endpoint');
      await form.getByLabel('Description').fill('Accounting');
      await form.getByText('Order, rate limit and headers').click();
      await form.getByRole('button', { name: 'Remove header authorization' }).click();
      await form.getByLabel('Requests per second').fill('5');
      await form.getByRole('button', { name: 'Save' }).click();
      await region('Settings').getByText('5 requests per second').waitFor();
      const [endpoint] = await admin.webhooks.list();
      expect(endpoint).toMatchObject({ description: 'Accounting', headerNames: [], types: ['team.*'] });
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Disable endpoint' }).click();
      await dialog('Disable this endpoint?').getByRole('button', { name: 'Disable endpoint' }).click();
      await page.getByText('Disabled', { exact: true }).waitFor();
      await region('History').getByText('Disabled a webhook endpoint').waitFor();
    });

    test('opens the webhooks of one project to the holder of a token, and nothing else', async () => {
      const { url } = await admin.webhooks.createPageToken();
      const guest = await watch.open({ colorScheme: 'light', width: 390 });
      await guest.goto(url);
      await guest.getByRole('link', { name: receiverUrl }).click();
      await guest.getByRole('heading', { level: 1, name: receiverUrl }).waitFor();
      expect(guest.url()).not.toContain('token');
      await guest.reload();
      await guest.getByRole('button', { name: 'Show secret' }).click();
      await guest.getByText(/^whsec_/).waitFor();
      expect(await guest.getByRole('region', { name: 'History' }).count()).toBe(0);
      expect(await findPageFaults(guest)).toEqual([]);
      await guest.goto(`${home}/users`);
      await guest.waitForURL(/\/handler\/sign-in/);
      await guest.close();
    });

    test('deletes an endpoint', async () => {
      await page.goto(product.url + endpointPath);
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
      await dialog('Delete this endpoint?').getByRole('button', { name: 'Delete endpoint' }).click();
      await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    });

    test('causes no browser errors and no third-party requests', () => {
      expect(watch.complaints).toEqual([]);
    });
  },
);
