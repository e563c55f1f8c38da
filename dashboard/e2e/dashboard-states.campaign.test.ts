import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardPages, openDashboardPage } from '../../infra/screenshots/dashboard-pages.ts';
import { type Filled, fill, owner } from '../../infra/screenshots/fill.ts';
import { findAxeFaults } from '../../infra/testing/axe.ts';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { findOverflow } from '../../infra/testing/page-checks.ts';

let started: BrowserProduct;
let filled: Filled;

const isNavigation = (url: URL): boolean => /\/(users\/me|internal\/projects)$/.test(url.pathname);
/** Answers every request of the page itself; those of the navigation around it are real. */
const answerPage = (how: (route: Route) => Promise<void>) => (page: Page) =>
  page.route((url) => url.pathname.startsWith('/api/') && !isNavigation(url) && !url.pathname.includes('/auth/'), how);
/** States of a page that the server does not answer as usual. */
const states = {
  loading: answerPage(() => new Promise(() => {})),
  error: answerPage((route) => route.fulfill({ status: 500, body: '' })),
  offline: answerPage((route) => route.abort('internetdisconnected')),
  'read-only': (page: Page) =>
    page.route('**/api/v1/internal/projects', async (route) => {
      const response = await route.fetch();
      const { items } = await response.json();
      await route.fulfill({ json: { items: items.map((item: object) => ({ ...item, role: 'read_only' })) } });
    }),
} as const;
type State = keyof typeof states;

describe.skipIf(noChromium)(
  `every state of the dashboard in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: 4 * testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('dashboard-states');
      filled = await fill(started.product, async () => {}, 1);
      await started.page.goto(`${started.product.url}/handler/sign-in`);
      await signInByPassword(started.page, owner);
      await started.page.getByRole('heading', { name: 'Projects' }).waitFor();
    }, testDeadlineMs);
    afterAll(() => started?.close());

    /** Faults in light and dark mode, at 1440 and 390 px. */
    async function findFaults(page: Page): Promise<string[]> {
      const faults: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1440, 390]) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(150); // transitions
          const overflow = await findOverflow(page);
          const found = [...(await findAxeFaults(page)), ...(overflow > 0 ? [`${overflow} px too wide`] : [])];
          faults.push(...found.map((fault) => `${colorScheme} ${width}: ${fault}`));
        }
      }
      return faults;
    }

    test('passes axe with data and without', async () => {
      const { page, product } = started;
      const faults: Record<string, string[]> = {};
      for (const [name, path] of sampleOf(Object.entries(dashboardPages(filled)), 6)) {
        await openDashboardPage(page, `${product.url}${path}`);
        const found = await findFaults(page);
        if (found.length > 0) faults[name] = found;
      }
      expect(faults).toEqual({});
    });

    test('passes axe while it loads, after an error, offline, and for a read-only member', async () => {
      const { page, product } = started;
      const faults: Record<string, string[]> = {};
      const paths = Object.entries(dashboardPages(filled)).filter(([, path]) => path.includes(filled.projectId));
      const cases = paths.flatMap(([name, path]) =>
        (Object.keys(states) as State[]).map((state) => ({ name, path, state })),
      );
      for (const { name, path, state } of sampleOf(cases, 6)) {
        await states[state](page);
        await page.goto(`${product.url}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (state === 'error' || state === 'offline') await page.getByRole('alert').first().waitFor();
        const found = await findFaults(page);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        if (found.length > 0) faults[`${name} ${state}`] = found;
      }
      expect(faults).toEqual({});
    });

    test('prints the audit log in light colors, without navigation, and with exact times', async () => {
      const { page, product } = started;
      await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
      await openDashboardPage(page, `${product.url}/projects/${filled.projectId}/audit-log`);
      await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
      const shown = await page.evaluate(() => {
        const time = document.querySelector('main li time');
        return {
          scheme: document.documentElement.dataset.mantineColorScheme,
          ground: getComputedStyle(document.body).backgroundColor,
          navigation: [...document.querySelectorAll('aside, header a')].some((part) => part.checkVisibility()),
          buttons: [...document.querySelectorAll('main .mantine-Button-root')].some((part) => part.checkVisibility()),
          hasExactTime:
            time !== null && getComputedStyle(time, '::after').content.includes(time.getAttribute('title') ?? '?'),
          cut: [...document.querySelectorAll('main *')]
            .filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === 'hidden')
            .map((part) => part.textContent),
        };
      });
      expect(shown).toEqual({
        ...{ scheme: 'light', ground: 'rgb(255, 255, 255)', navigation: false, buttons: false },
        ...{ hasExactTime: true, cut: [] },
      });
      await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    });

    test('passes axe where there is nothing to show', async () => {
      const { page, product } = started;
      const nowhere = '00000000-0000-4000-8000-000000000000';
      const paths = {
        'Project not found': `/projects/${nowhere}/users`,
        'User not found': `/projects/${filled.projectId}/users/${nowhere}`,
        'Team not found': `/projects/${filled.projectId}/teams/${nowhere}`,
        'Page not found': '/nowhere',
      };
      const faults: Record<string, string[]> = {};
      for (const [title, path] of Object.entries(paths)) {
        await page.goto(`${product.url}${path}`);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        const found = await findFaults(page);
        if (found.length > 0) faults[title] = found;
      }
      expect(faults).toEqual({});
    });
  },
);
