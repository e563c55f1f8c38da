import type { AdminClient } from '@gatebook/js/owner-client';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { dashboardPages } from '../../infra/screenshots/dashboard-pages.ts';
import { type Filled, fill, owner } from '../../infra/screenshots/fill.ts';
import { answerProjects, answerServer } from '../../infra/testing/answered-projects.ts';
import { findAxeFaults } from '../../infra/testing/axe.ts';
import { type BrowserProduct, signInToDashboard, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { untilLoaded, walkTo } from '../../infra/testing/dashboard-walk.ts';
import { openOverlays } from '../../infra/testing/overlays.ts';
import { findAccessFaults, findMisplacedTexts, findOverflow } from '../../infra/testing/page-checks.ts';
import { fillColorsOf } from '../../infra/testing/pdf.ts';
import { pageRoutes, pathOf, type RouteParams } from './route-table.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const nowhere = idOf(9);
/** Copies of the project in the states of which the server is the cause. */
const copies = { 'read-only': idOf(1), loading: idOf(2), error: idOf(3), offline: idOf(4) } as const;
type CopyState = keyof typeof copies;

/** Pages that show everything without the server. */
const asksNothing = ['/projects/$projectId/import'];

const sizes = { wide: 1440, narrow: 390 } as const;
/** Every pair of scheme and width. */
const allLooks = [
  ...[{ scheme: 'light', width: sizes.wide } as const, { scheme: 'light', width: sizes.narrow } as const],
  ...[{ scheme: 'dark', width: sizes.wide } as const, { scheme: 'dark', width: sizes.narrow } as const],
];
type Look = (typeof allLooks)[number];
/** Two looks that have both schemes and both widths, in turn. */
const looksInTurn: readonly (readonly Look[])[] = [
  allLooks.filter(({ scheme, width }) => (scheme === 'light') === (width === sizes.wide)),
  allLooks.filter(({ scheme, width }) => (scheme === 'light') !== (width === sizes.wide)),
];

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
let context: BrowserContext;
let params: RouteParams = {};
let emptyProjectId = '';
let variants: readonly string[] = [];
let faults: Record<string, readonly string[]> = {};
let turn = 0;

/** What does not fit the window, once charts have followed its width. */
async function findLayoutFaults(page: Page): Promise<string[]> {
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { timeout: 2_000 })
    .catch(() => {});
  const overflow = await findOverflow(page);
  return [...(overflow > 0 ? [`${overflow} px too wide`] : []), ...(await findMisplacedTexts(page))];
}

/** Notes what axe finds on a page, and what does not fit. In all looks, also what axe does not look at. */
async function check(
  page: Page,
  state: string,
  looks: readonly Look[] = looksInTurn[turn++ % 2] ?? allLooks,
): Promise<void> {
  const found: string[] = looks === allLooks ? await findAccessFaults(page) : [];
  const widthsWithAxe = new Set<number>();
  // A color scheme changes colors only, so the other rules run once at each width.
  for (const { scheme, width } of looks) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    const isKnown = widthsWithAxe.has(width);
    widthsWithAxe.add(width);
    const misfits = isKnown ? [] : await findLayoutFaults(page);
    const ofAxe = await findAxeFaults(page, isKnown ? { only: 'colors' } : {});
    found.push(...[...ofAxe, ...misfits].map((text) => `${scheme} ${width}: ${text}`));
  }
  if (found.length > 0) faults[state] = found;
}

/** Pages of the past, and the one of an event. */
async function pastPages({ audit, projectId }: AdminClient, { userId, teamId }: Filled): Promise<readonly string[]> {
  const { items } = await audit.list({ limit: 1 });
  const eventId = items[0]?.id;
  const past = [`users`, `users/${userId}`, `teams/${teamId}`, 'settings/general'].map(
    (path) => `/projects/${projectId}/${path}?as_of=${eventId}`,
  );
  return [...past, `/projects/${projectId}/audit-log?event=${eventId}`];
}

/** Creates a user and a team whose names have no place to wrap. @returns the paths of their pages */
async function createLongNames({ users, teams, projectId }: AdminClient): Promise<readonly string[]> {
  const displayName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);
  const primaryEmail = `${'a'.repeat(60)}@${'b'.repeat(50)}.${'c'.repeat(50)}.example`;
  const { id: userId } = await users.create({ displayName, primaryEmail });
  const { id: teamId } = await teams.create({ displayName });
  return [`/projects/${projectId}/users/${userId}`, `/projects/${projectId}/teams/${teamId}`];
}

describe.skipIf(noChromium)(
  `every state of the dashboard in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: 2 * testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('dashboard-states');
      const { product, browser, page } = started;
      await page.close();
      const filled = await fill(product, async () => {}, 1);
      const { owner: client, ...ids } = filled;
      const admin = client.admin(ids.projectId);
      const deliveryId = await vi.waitFor(async () => {
        const [delivery] = (await admin.webhooks.listDeliveries(ids.endpointId)).items;
        if (!delivery) throw new Error('nothing was delivered yet');
        return delivery.id;
      });
      params = {
        ...ids,
        deliveryId,
        requestId: '0000000000000000',
        emailType: 'magic_link',
        objectType: 'email_template',
        objectId: 'magic_link',
      };
      emptyProjectId = ids.emptyProjectId;
      const withSearch = Object.values(dashboardPages(ids)).filter((path) => /[?]/.test(path));
      variants = [...withSearch, ...(await pastPages(admin, filled)), ...(await createLongNames(admin))];
      context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: sizes.wide, height: 900 } });
      const copyOf = (kind: 'real' | 'readOnly' | 'silent' | 'broken' | 'unreachable') => ({
        realId: ids.projectId,
        kind,
      });
      await answerProjects(context, {
        [ids.projectId]: copyOf('real'),
        [copies['read-only']]: copyOf('readOnly'),
        [copies.loading]: copyOf('silent'),
        [copies.error]: copyOf('broken'),
        [copies.offline]: copyOf('unreachable'),
      });
      const first = await openPage(context);
      await signInToDashboard(first, product, owner);
      await first.close();
    }, testDeadlineMs);
    afterAll(() => started?.close());
    beforeEach(() => {
      faults = {};
    });

    const openPage = (of: BrowserContext) => started.watch.open({ colorScheme: 'light', context: of });
    async function openDashboard(of = context): Promise<Page> {
      const page = await openPage(of);
      await page.goto(`${started.product.url}/projects`);
      await untilLoaded(page);
      return page;
    }

    /** Two pages, one for each core, take the next item until there is none. */
    async function openEach<Item>(
      items: readonly Item[],
      act: (page: Page, item: Item) => Promise<void>,
      of = context,
    ): Promise<void> {
      const rest = [...items];
      const work = async () => {
        const page = await openDashboard(of);
        for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(page, item);
        await page.close();
      };
      await Promise.all([work(), work()]);
    }

    test('passes axe with data', async () => {
      await openEach(pageRoutes, async (page, route) => {
        await walkTo(page, pathOf(route, params));
        await check(page, route, allLooks);
      });
      await openEach(variants, async (page, path) => {
        await walkTo(page, path);
        await check(page, path);
      });
      expect(faults).toEqual({});
    });

    test('passes axe without data', async () => {
      const ofProject = pageRoutes.filter((route) => /^\/projects\/\$projectId/.test(route));
      await openEach(ofProject, async (page, route) => {
        const things = Object.keys(params).map((name) => [name, nowhere]);
        await walkTo(page, pathOf(route, { ...Object.fromEntries(things), projectId: emptyProjectId }));
        await check(page, `${route} empty`);
      });
      for (const path of [`/projects/${nowhere}/users`, '/nowhere']) {
        await openEach([path], async (page) => {
          await walkTo(page, path);
          await check(page, path);
        });
      }
      expect(faults).toEqual({});
    });

    test('passes axe for a read-only member, while it loads, after an error and offline', async () => {
      const ofProject = pageRoutes.filter((route) => /^\/projects\/\$projectId/.test(route));
      const cases = ofProject.flatMap((route) =>
        (Object.keys(copies) as CopyState[]).map((state) => ({ route, state })),
      );
      // Each page has every look in one of its states, and each state has every look on a quarter of the pages.
      const withLook = cases.map((one, nth) => ({ ...one, look: allLooks[(nth + Math.floor(nth / 4)) % 4] }));
      const silent: string[] = [];
      await openEach(withLook, async (page, { route, state, look }) => {
        await walkTo(page, pathOf(route, { ...params, projectId: copies[state] }), { loads: state !== 'loading' });
        const isFailed = state === 'error' || state === 'offline';
        if (isFailed && !asksNothing.includes(route) && (await page.getByRole('alert').count()) === 0)
          silent.push(`${route} ${state}`);
        await check(page, `${route} ${state}`, look && [look]);
      });
      expect(faults).toEqual({});
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
      await openEach(cases, async (page, { route, state }) => {
        await answerServer(page, kinds[state]);
        await page.goto(`${started.product.url}${route}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const shown =
          state === 'loading' ? page.locator('main [role="status"][aria-label^="Loading"]') : page.getByRole('alert');
        await shown
          .first()
          .waitFor({ timeout: 10_000 })
          .catch(() => unlike.push(`${route} ${state}`));
        await check(page, `${route} ${state}`);
      });
      expect(faults).toEqual({});
      expect(unlike).toEqual([]);
    });

    test('fits wide windows and phones in German, in both directions, with exact times', async () => {
      const german = await started.browser.newContext({
        locale: 'de-DE',
        reducedMotion: 'reduce',
        storageState: await context.storageState(),
      });
      const first = await openDashboard(german);
      await first.evaluate(() => localStorage.setItem('gatebook-times', 'exact'));
      await first.close();
      const paths = [...pageRoutes.map((route) => pathOf(route, params)), ...variants];
      await openEach(
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
          if (found.length > 0) faults[path] = found;
        },
        german,
      );
      await german.close();
      expect(faults).toEqual({});
    });

    test('passes axe with each dialog, menu and fold open', async () => {
      const opened: string[] = [];
      await openEach(pageRoutes, async (page, route) => {
        const show = async () => page.setViewportSize({ width: sizes.wide, height: 900 });
        await show();
        await walkTo(page, pathOf(route, params));
        await openOverlays(page, async (trail) => {
          opened.push(`${route.split('/').at(-1)}: ${trail}`);
          const look = allLooks[opened.length % allLooks.length];
          await check(page, `${route}: ${trail}`, look && [look]);
          await show();
        });
      });
      expect(faults).toEqual({});
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
      await openEach(Object.entries(edits), async (page, [path, edit]) => {
        await walkTo(page, `/projects/${params.projectId}/${path}`);
        await edit(page);
        await check(page, `${path} edited`);
        const discard = page.getByRole('button', { name: 'Discard' });
        if ((await discard.count()) > 0) await discard.click();
      });
      expect(faults).toEqual({});
    });

    test('prints a dark page in the colors of a light one, with exact times and without navigation', async () => {
      const page = await openDashboard();
      const path = pathOf('/projects/$projectId/audit-log', params);
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
      const other = await started.browser.newContext({ storageState: await context.storageState() });
      const page = await other.newPage();
      await page.goto(`${started.product.url}${pathOf('/projects/$projectId/users', params)}`);
      await untilLoaded(page);
      await other.setOffline(true);
      await page.getByRole('link', { name: 'Members', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Offline' }).waitFor();
      await check(page, 'offline, without the code of the page');
      await other.setOffline(false);
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
      await other.close();
      expect(faults).toEqual({});
    });

    test('has no complaint of the browser', () => {
      expect(started.watch.complaints).toEqual([]);
    });
  },
);
