import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BrowserProduct, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { untilLoaded, walkTo } from '../../infra/testing/dashboard-walk.ts';
import { createInternalClient } from '../../infra/testing/internal-client.ts';
import { pageRoutes, pathOf } from './route-table.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate' };

let started: BrowserProduct;
let page: Page;

const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const dialog = (name: string) => page.getByRole('dialog', { name });
const press = (...keys: string[]) =>
  keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
const type = (text: string) => page.keyboard.type(text);

/** The name of the focused element, as a screen reader says it; empty when the focus is lost. */
const focusedName = () =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body) return '';
    const label = focused instanceof HTMLInputElement ? focused.labels?.[0]?.textContent : undefined;
    return (focused.getAttribute('aria-label') ?? label ?? focused.textContent ?? '').trim();
  });

/** Moves the focus on until it is on this element. @throws Error with the elements that it met instead */
async function moveTo(name: string | RegExp, key: 'Tab' | 'Shift+Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
  const met: string[] = [];
  while (met.length < 120) {
    await press(key);
    const focused = await focusedName();
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    met.push(focused);
  }
  throw new Error(`${name} is not among ${met.join(' | ')}`);
}
const expectFocusOn = (name: string) => expect.poll(focusedName).toBe(name);

/** Keys before would go to what was focused when it opened. */
const expectFocusIn = (role: 'dialog' | 'menu') =>
  expect.poll(() => page.evaluate((of) => document.activeElement?.closest(`[role="${of}"]`) !== null, role)).toBe(true);

const expectFocusOnPage = () => expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');

/** Controls of the page that Tab does not reach from its start, by their markup; disabled ones are none. */
async function findUnreached(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate(() => {
    const isReachable = (control: HTMLElement) =>
      control.checkVisibility({ visibilityProperty: true }) &&
      !control.matches(':disabled, [data-disabled]') &&
      control.closest('[aria-hidden="true"]') === null;
    const controls = [
      ...document.querySelectorAll<HTMLElement>('main :is(a[href], button, input, select, textarea, summary)'),
    ].filter(isReachable);
    Object.assign(globalThis, { unreached: new Set(controls) });
    addEventListener('focusin', reach, true);
    function reach({ target }: FocusEvent) {
      const left = (globalThis as unknown as { unreached: Set<unknown> }).unreached;
      left.delete(target);
      // One of a group takes the focus, and the arrow keys reach the others.
      const group = (target as HTMLElement).closest('[role="tablist"], [role="radiogroup"], [role="toolbar"]');
      for (const other of controls) {
        const isSameRadio =
          other instanceof HTMLInputElement &&
          target instanceof HTMLInputElement &&
          other.type === 'radio' &&
          other.name === target.name;
        if (isSameRadio || group?.contains(other)) left.delete(other);
      }
    }
    document.querySelector('main')?.focus();
    return controls.length;
  });
  for (let step = 0; step < count + 20; step += 1) {
    const left = await page.evaluate(() => (globalThis as unknown as { unreached: Set<unknown> }).unreached.size);
    if (left === 0) return [];
    await page.keyboard.press('Tab');
  }
  return page.evaluate(() =>
    [...(globalThis as unknown as { unreached: Set<HTMLElement> }).unreached].map((control) =>
      control.outerHTML.slice(0, 200),
    ),
  );
}

describe.skipIf(noChromium)(
  `the dashboard with the keyboard alone${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('keyboard');
      ({ page } = started);
    });
    afterAll(() => started?.close());

    test('creates the first owner and a project', async () => {
      const { product } = started;
      await page.goto(`${product.url}/setup?token=${product.setupToken}`);
      await page.getByRole('button', { name: 'Create owner account' }).waitFor();
      await page.getByLabel('Your name').evaluate((field) => field.blur());
      await moveTo('Your name');
      await type('Maya Lindqvist');
      await moveTo('Email');
      await type(owner.email);
      await moveTo('Password');
      await type(owner.password);
      await press('Enter');
      await title('Projects');
      await moveTo('Create project');
      await press('Enter');
      await dialog('Create project').waitFor();
      await expectFocusOn('Name');
      await type('Acme Shop');
      await press('Enter');
      await title('Get started');
    });

    test('opens each page from the navigation, and moves the focus to it', async () => {
      const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all();
      const inside = await Promise.all(
        links.map(async (link) => ({ name: await link.innerText(), href: (await link.getAttribute('href')) ?? '' })),
      );
      // The inbox and the API reference are not pages of the dashboard.
      const pages = inside.filter(({ href }) => href.startsWith('/projects/'));
      expect(pages.length).toBeGreaterThanOrEqual(11);
      for (const { name, href } of pages) {
        await moveTo(name, 'Shift+Tab');
        await press('Enter');
        await expect.poll(() => new URL(page.url()).pathname).toContain(href);
        await expectFocusOnPage();
      }
    });

    test('reaches all controls of every page with Tab alone', async () => {
      const projectId = new URL(page.url()).pathname.split('/')[2] ?? '';
      const client = createInternalClient(started.product.url);
      await client.auth.signInWithPassword(owner);
      const admin = client.admin(projectId);
      const { id: endpointId } = await admin.webhooks.create({ url: 'http://localhost:3000/hooks', types: null });
      const { id: userId } = await admin.users.create({ displayName: 'Bo Berg', primaryEmail: 'bo@mail.example' });
      const { id: teamId } = await admin.teams.create({ displayName: 'Editors' });
      const deliveryId = await vi.waitFor(async () => {
        const [first] = (await admin.webhooks.listDeliveries(endpointId)).items;
        if (!first) throw new Error('nothing was delivered yet');
        return first.id;
      });
      const params = { projectId, userId, teamId, endpointId, deliveryId, requestId: '0000000000000000' };
      // Pages would first show what they knew before, and replace controls while Tab is on its way.
      await page.reload();
      await untilLoaded(page);
      const missed: Record<string, readonly string[]> = {};
      for (const route of pageRoutes) {
        await walkTo(
          page,
          pathOf(route, { ...params, emailType: 'magic_link', objectType: 'permission', objectId: 'x' }),
        );
        const names = await findUnreached(page);
        if (names.length > 0) missed[route] = names;
      }
      expect(missed).toEqual({});
      await walkTo(page, `/projects/${projectId}/get-started`);
      await admin.users.delete(userId);
    });

    test('creates a user and edits it, and dialogs return the focus', async () => {
      await moveTo('Users', 'Shift+Tab');
      await press('Enter');
      await title('Users');
      await moveTo('Create user');
      await press('Enter');
      await expectFocusIn('dialog');
      await press('Escape');
      await dialog('Create user').waitFor({ state: 'detached' });
      await expectFocusOn('Create user');
      await press('Enter');
      await dialog('Create user').waitFor();
      await expectFocusOn('Email');
      await type('ann@mail.example');
      await moveTo('Name');
      await type('Ann Achebe');
      await press('Enter');
      await title('Ann Achebe');
      await moveTo('Edit user');
      await press('Enter');
      await dialog('Edit user').waitFor();
      await expectFocusOn('Name');
      for (let step = 0; step < 12; step += 1) {
        await press('Tab');
        await expectFocusIn('dialog');
      }
      await moveTo('Name', 'Shift+Tab');
      await press('Control+a');
      await type('Ann Lovelace');
      await press('Enter');
      await title('Ann Lovelace');
      await expectFocusOn('Edit user');
    });

    test('uses a menu, and a dialog that is opened from it', async () => {
      await moveTo('More actions');
      await press('Enter');
      await expectFocusIn('menu');
      await press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await expectFocusOn('More actions');
      await press('Enter');
      await expectFocusIn('menu');
      await moveTo('Delete user', 'ArrowDown');
      await press('Enter');
      await dialog('Delete this user?').waitFor();
      await expectFocusIn('dialog');
      await press('Escape');
      await dialog('Delete this user?').waitFor({ state: 'detached' });
      await expectFocusOn('More actions');
    });

    test('selects users with Space, and finds a page in the palette', async () => {
      await moveTo('Users', 'Shift+Tab');
      await press('Enter');
      await page.getByRole('link', { name: 'Ann Lovelace' }).waitFor();
      await moveTo('Select all users on this page');
      await press('Space');
      expect(await page.getByRole('checkbox', { name: 'Select all users on this page' }).isChecked()).toBe(true);
      await press('Space');
      await press('Control+k');
      await expectFocusIn('dialog');
      await press('Escape');
      await dialog('Search').waitFor({ state: 'hidden' });
      await expectFocusOn('Select all users on this page');
      await press('Control+k');
      await dialog('Search').getByRole('combobox').waitFor();
      await type('webhooks');
      await dialog('Search').getByRole('option', { name: 'Webhooks' }).waitFor();
      await press('Enter');
      await title('Webhooks');
    });
  },
);
