import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerServer } from '../../infra/testing/answered-projects.ts';
import { type BrowserProduct, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { untilLoaded, walkTo } from '../../infra/testing/dashboard-walk.ts';
import { openOverlays } from '../../infra/testing/overlays.ts';
import { fillColorsOf } from '../../infra/testing/pdf.ts';
import {
  type CopyState,
  copies,
  type FilledDashboard,
  fillDashboard,
  nowhere,
} from './dashboard-states/filled-dashboard.ts';
import { allLooks, createPageChecks, findLayoutFaults, type PageChecks, sizes } from './dashboard-states/looks.ts';
import { pageRoutes, pathOf } from './route-table.ts';

/** Pages that show everything without the server. */
const asksNothing = ['/projects/$projectId/import'];

/** One of each kind that are opened; if one is missing, the others are too. */
const someOverlays = [
  'users: Create user',
  'users: Saved views > Save this view',
  '$userId: More actions > Delete user',
  '$teamId: Permissions of Ann Achebe',
  'keys: Revoke Old backend',
  'danger-zone: Delete project',
];

let started: BrowserProduct;
let dashboard: FilledDashboard;
let checks: PageChecks;

describe.skipIf(noChromium)(
  `every state of the dashboard in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: 2 * testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('dashboard-states');
      await started.page.close();
      dashboard = await fillDashboard(started);
    }, testDeadlineMs);
    afterAll(() => started?.close());
    beforeEach(() => {
      checks = createPageChecks();
    });

    test('passes axe with data', async () => {
      await dashboard.openEach(pageRoutes, async (page, route) => {
        await walkTo(page, pathOf(route, dashboard.params));
        await checks.check(page, route, allLooks);
      });
      await dashboard.openEach(dashboard.variants, async (page, path) => {
        await walkTo(page, path);
        await checks.check(page, path);
      });
      expect(checks.faults).toEqual({});
    });

    test('passes axe without data', async () => {
      const ofProject = pageRoutes.filter((route) => /^\/projects\/\$projectId/.test(route));
      await dashboard.openEach(ofProject, async (page, route) => {
        const things = Object.keys(dashboard.params).map((name) => [name, nowhere]);
        await walkTo(page, pathOf(route, { ...Object.fromEntries(things), projectId: dashboard.emptyProjectId }));
        await checks.check(page, `${route} empty`);
      });
      for (const path of [`/projects/${nowhere}/users`, '/nowhere']) {
        await dashboard.openEach([path], async (page) => {
          await walkTo(page, path);
          await checks.check(page, path);
        });
      }
      expect(checks.faults).toEqual({});
    });

    test('passes axe for a read-only member, while it loads, after an error and offline', async () => {
      const ofProject = pageRoutes.filter((route) => /^\/projects\/\$projectId/.test(route));
      const cases = ofProject.flatMap((route) =>
        (Object.keys(copies) as CopyState[]).map((state) => ({ route, state })),
      );
      // Each page has every look in one of its states, and each state has every look on a quarter of the pages.
      const withLook = cases.map((one, nth) => ({ ...one, look: allLooks[(nth + Math.floor(nth / 4)) % 4] }));
      const silent: string[] = [];
      await dashboard.openEach(withLook, async (page, { route, state, look }) => {
        await walkTo(page, pathOf(route, { ...dashboard.params, projectId: copies[state] }), {
          loads: state !== 'loading',
        });
        const isFailed = state === 'error' || state === 'offline';
        if (isFailed && !asksNothing.includes(route) && (await page.getByRole('alert').count()) === 0)
          silent.push(`${route} ${state}`);
        await checks.check(page, `${route} ${state}`, look && [look]);
      });
      expect(checks.faults).toEqual({});
      expect(silent).toEqual([]);
    });

    test('passes axe on pages outside of projects while they load, after an error and offline', async () => {
      const ofServer = ['/projects', '/deleted-projects', '/operations'];
      expect(pageRoutes).toEqual(expect.arrayContaining(ofServer));
      const kinds = { loading: 'silent', error: 'broken', offline: 'unreachable' } as const;
      const cases = ofServer.flatMap((route) =>
        (Object.keys(kinds) as (keyof typeof kinds)[]).map((state) => ({ route, state })),
      );
      const unlike: string[] = [];
      await dashboard.openEach(cases, async (page, { route, state }) => {
        await answerServer(page, kinds[state]);
        await page.goto(`${started.product.url}${route}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const shown =
          state === 'loading' ? page.locator('main [role="status"][aria-label^="Loading"]') : page.getByRole('alert');
        await shown
          .first()
          .waitFor({ timeout: 10_000 })
          .catch(() => unlike.push(`${route} ${state}`));
        await checks.check(page, `${route} ${state}`);
      });
      expect(checks.faults).toEqual({});
      expect(unlike).toEqual([]);
    });

    test('fits wide windows and phones in German, in both directions, with exact times', async () => {
      const german = await started.browser.newContext({
        locale: 'de-DE',
        reducedMotion: 'reduce',
        storageState: await dashboard.context.storageState(),
      });
      const first = await dashboard.openDashboard(german);
      await first.evaluate(() => localStorage.setItem('gatebook-times', 'exact'));
      await first.close();
      const paths = [...pageRoutes.map((route) => pathOf(route, dashboard.params)), ...dashboard.variants];
      await dashboard.openEach(
        paths,
        async (page, path) => {
          await walkTo(page, path);
          const found: string[] = [];
          for (const [size, width] of Object.entries(sizes)) {
            await page.setViewportSize({ width, height: 900 });
            for (const dir of ['ltr', 'rtl']) {
              await page.evaluate((value) => {
                document.documentElement.dir = value;
              }, dir);
              found.push(...(await findLayoutFaults(page)).map((text) => `${size} ${dir}: ${text}`));
            }
          }
          if (found.length > 0) checks.faults[path] = found;
        },
        german,
      );
      await german.close();
      expect(checks.faults).toEqual({});
    });

    test('passes axe with each dialog, menu and fold open', async () => {
      const opened: string[] = [];
      await dashboard.openEach(pageRoutes, async (page, route) => {
        const show = async () => page.setViewportSize({ width: sizes.wide, height: 900 });
        await show();
        await walkTo(page, pathOf(route, dashboard.params));
        await openOverlays(page, async (trail) => {
          opened.push(`${route.split('/').at(-1)}: ${trail}`);
          const look = allLooks[opened.length % allLooks.length];
          await checks.check(page, `${route}: ${trail}`, look && [look]);
          await show();
        });
      });
      expect(checks.faults).toEqual({});
      expect(opened).toEqual(expect.arrayContaining([...someOverlays]));
      expect(opened.length).toBeGreaterThanOrEqual(70);
    });

    test('passes axe with unsaved and invalid fields', async () => {
      const edits: Readonly<Record<string, (page: Page) => Promise<void>>> = {
        'settings/general': async (page) => {
          await page.getByLabel('Name', { exact: true }).fill('Acme Store');
          await page.getByRole('region', { name: 'Unsaved changes' }).getByText('Can be undone.').waitFor();
        },
        'settings/domains': async (page) => {
          await page.getByRole('button', { name: 'Add domain' }).click();
          await page.getByRole('button', { name: 'Save' }).click();
          await page.getByText('Enter a URL that starts with https://').waitFor();
        },
        'settings/email': async (page) => {
          await page.getByLabel('Sender', { exact: true }).selectOption('Your own SMTP server');
          await page.getByRole('button', { name: 'Save' }).click();
          await page.getByText('Enter a hostname').waitFor();
        },
        'emails/magic_link': async (page) => {
          await page.getByRole('button', { name: 'Button: Sign in', exact: true }).click();
          await page.getByLabel('URL', { exact: true }).waitFor();
        },
      };
      await dashboard.openEach(Object.entries(edits), async (page, [path, edit]) => {
        await walkTo(page, `/projects/${dashboard.params.projectId}/${path}`);
        await edit(page);
        await checks.check(page, `${path} edited`);
        const discard = page.getByRole('button', { name: 'Discard' });
        if ((await discard.count()) > 0) await discard.click();
      });
      expect(checks.faults).toEqual({});
    });

    test('prints a dark page in the colors of a light one, with exact times and without navigation', async () => {
      const page = await dashboard.openDashboard();
      const path = pathOf('/projects/$projectId/audit-log', dashboard.params);
      const print = async (colorScheme: 'light' | 'dark') => {
        await page.emulateMedia({ colorScheme });
        await walkTo(page, path);
        const html = page.locator('html');
        await expect.poll(() => html.getAttribute('data-mantine-color-scheme')).toBe(colorScheme);
        const colors = [...fillColorsOf(await page.pdf({ printBackground: true })).keys()].sort();
        await expect.poll(() => html.getAttribute('data-mantine-color-scheme')).toBe(colorScheme);
        return colors;
      };
      const light = await print('light');
      expect(light.length).toBeGreaterThan(3);
      expect(await print('dark')).toEqual(light);
      await page.emulateMedia({ media: 'print' });
      const shown = await page.evaluate(() => {
        const time = document.querySelector('main li time');
        return {
          navigation: [...document.querySelectorAll('aside, header a')].some((part) => part.checkVisibility()),
          buttons: [...document.querySelectorAll('main .mantine-Button-root')].some((part) => part.checkVisibility()),
          hasExactTime:
            time !== null && getComputedStyle(time, '::after').content.includes(time.getAttribute('title') ?? '?'),
          cut: [...document.querySelectorAll('main *')]
            .filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === 'hidden')
            .map((part) => part.textContent),
        };
      });
      expect(shown).toEqual({ navigation: false, buttons: false, hasExactTime: true, cut: [] });
      await page.close();
    });

    test('says that it is offline on a page whose code is not loaded yet, and goes on with the network', async () => {
      // The browser complains about the network, so nothing watches this page.
      const other = await started.browser.newContext({ storageState: await dashboard.context.storageState() });
      const page = await other.newPage();
      await page.goto(`${started.product.url}${pathOf('/projects/$projectId/users', dashboard.params)}`);
      await untilLoaded(page);
      await other.setOffline(true);
      await page.getByRole('link', { name: 'Members', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Offline' }).waitFor();
      await checks.check(page, 'offline, without the code of the page');
      await other.setOffline(false);
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
      await other.close();
      expect(checks.faults).toEqual({});
    });

    test('has no complaint of the browser', () => {
      expect(started.watch.complaints).toEqual([]);
    });
  },
);
