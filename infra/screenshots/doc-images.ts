import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { fullAccount } from './account-states.ts';
import type { PageWindow } from './dashboard-dialogs.ts';
import { dashboardPages, openDashboardPage } from './dashboard-pages.ts';
import type { Filled } from './fill.ts';
import { openHandlerState } from './handler-states.ts';
import { type PageState, withConfig } from './steps.ts';

const viewport = { width: 1360, height: 860 };
const handlerViewport = { width: 1280, height: 800 };
const name = 'Liam Byrne';

/** Images of handler pages, each taken in a new browser. */
export const handlerDocImages: Readonly<Record<string, PageState>> = {
  'sign-in': {
    path: 'sign-in',
    before: withConfig({
      passkey_enabled: true,
      enabled_oauth_providers: ['github', 'google', 'microsoft', 'spotify'].map((id) => ({ id })),
    }),
  },
  account: { path: 'account-settings#auth', before: fullAccount },
};

/** Images of pages of the dashboard by name, in an order in which none shows the changes of another. */
export function dashboardDocImages(filled: Omit<Filled, 'owner'>): Readonly<Record<string, PageWindow>> {
  const { overview = '', 'audit-log': auditLog = '', past = '', user = '', team = '' } = dashboardPages(filled);
  return {
    overview: { path: overview },
    'audit-log': {
      path: `${auditLog}?type=UserMetadataChanged`,
      act: async (page) => {
        await page.getByRole('button', { name: 'Changed client metadata' }).click();
        await page.getByRole('row', { name: /client_metadata.size/ }).waitFor();
      },
    },
    'time-bar': { path: past },
    why: {
      path: team,
      act: async (page) => {
        await page
          .getByRole('listitem')
          .filter({ hasText: name })
          .getByRole('button', { name: /^Permissions/ })
          .click();
        await page.getByRole('button', { name: 'Why $invite_members?' }).click();
        await page.getByRole('dialog', { name: 'Why $invite_members?' }).getByText('Way 1').waitFor();
      },
    },
    preview: {
      path: user,
      act: async (page) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete user' }).click();
        await page.getByRole('dialog').getByRole('list', { name: 'Effects' }).waitFor();
      },
    },
    undo: {
      path: user,
      act: async (page) => {
        await page.getByRole('button', { name: 'Edit user' }).click();
        const dialog = page.getByRole('dialog', { name: 'Edit user' });
        await dialog.getByLabel('Name').fill(`${name}-Novak`);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('status').getByRole('button', { name: 'Undo' }).waitFor();
        await page.mouse.move(0, 0);
      },
    },
  };
}

type Taking = {
  browser: Browser;
  url: string;
  filled: Omit<Filled, 'owner'>;
  target: string;
  isChosen: (name: string) => boolean;
  signIn: (page: Page) => Promise<void>;
};

/** Takes the images of README and docs. */
export async function takeDocImages({ browser, url, filled, target, isChosen, signIn }: Taking): Promise<void> {
  for (const [image, state] of Object.entries(handlerDocImages)) {
    if (!isChosen(image)) continue;
    const page = await browser.newPage({ viewport: handlerViewport, colorScheme: 'light' });
    await openHandlerState(page, url, state);
    await page.screenshot({ path: join(target, `${image}.png`) });
    await page.close();
  }
  const page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(`${url}/handler/sign-in`);
  await signIn(page);
  for (const [image, { path, act }] of Object.entries(dashboardDocImages(filled))) {
    if (!isChosen(image)) continue;
    await openDashboardPage(page, `${url}${path}`);
    await act?.(page);
    await page.waitForTimeout(500); // charts and transitions
    await page.screenshot({ path: join(target, `${image}.png`) });
  }
  await page.close();
}
