import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';

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
      await type('maya@gatebook.example');
      await moveTo('Password');
      await type('open the gate');
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
      const pages = {
        ...{ Overview: 'Acme Shop', Users: 'Users', Teams: 'Teams', Permissions: 'Permissions' },
        ...{ 'Audit log': 'Audit log', Events: 'Events', Webhooks: 'Webhooks', Emails: 'Emails', Members: 'Members' },
        ...{ Settings: 'General', 'Get started': 'Get started' },
      };
      for (const [link, name] of Object.entries(pages)) {
        await moveTo(link, 'Shift+Tab');
        await press('Enter');
        await title(name);
        await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
      }
    });

    test('creates a user and edits it, and dialogs return the focus', async () => {
      await moveTo('Users', 'Shift+Tab');
      await press('Enter');
      await title('Users');
      await moveTo('Create user');
      await press('Enter');
      await dialog('Create user').waitFor();
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
        expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
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
      await page.getByRole('menu').waitFor();
      await press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await expectFocusOn('More actions');
      await press('Enter');
      await page.getByRole('menu').waitFor();
      await moveTo('Delete user', 'ArrowDown');
      await press('Enter');
      await dialog('Delete this user?').waitFor();
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
      await dialog('Search').waitFor();
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
