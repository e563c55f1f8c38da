import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { buildDashboard } from '../testing/build-dashboard.ts';
import { launchChromium } from '../testing/chromium.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';
import { choosePassword } from '../testing/sign-in-page.ts';
import { createDuplicate, dashboardDialogs } from './dashboard-dialogs.ts';
import { dashboardPages, openDashboardPage } from './dashboard-pages.ts';
import { takeDocImages } from './doc-images.ts';
import { type Filled, fill, owner } from './fill.ts';
import { handlerStates, openHandlerState } from './handler-states.ts';
import { serverPages } from './server-pages.ts';

/**
 * `npm run screenshots -- <folder> [<pattern>]`: all dashboard, handler and server pages, light and dark, wide and at 390 px.
 * The pattern chooses images by name, as in `^(users|team)-light`. With the folder `docs/screenshots`: the images of
 * README and docs instead.
 */
const [target = 'screenshots', pattern = '.'] = process.argv.slice(2);
const isChosen = (name: string): boolean => new RegExp(pattern).test(name);
const isForDocs = target === 'docs/screenshots';
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

const folder = await makePassableFolder('gatebook-screenshots-');
const clockFile = join(folder, 'clock');
const moveClock = async (behindMs: number): Promise<void> => {
  await writeFile(`${clockFile}.new`, String(behindMs));
  await rename(`${clockFile}.new`, clockFile); // atomic: readers never see half a file
  await pause(60); // the product reads it every 20 ms
};
await moveClock(0);
const settings = {
  GATEBOOK_DATA_DIR: join(folder, 'data'),
  GATEBOOK_RATE_LIMITS: 'off',
  GATEBOOK_INTERNAL_SIGN_UP: 'open',
  GATEBOOK_TRUSTED_PROXIES: 'loopback',
  GATEBOOK_CLIENT_COUNTRY_HEADER: 'cf-ipcountry',
  NODE_OPTIONS: `--import=${new URL('past-clock.ts', import.meta.url)}`,
  PAST_CLOCK_FILE: clockFile,
};
await buildDashboard();
let product = await startProduct(settings);
const browser = await launchChromium();
try {
  await mkdir(target, { recursive: true });
  if (!isForDocs) await takeSetup();
  const ids = await fill(product, moveClock);
  if (!isForDocs) await createDuplicate(ids.owner.admin(ids.projectId), ids);
  // The worker counts complete days when it starts.
  await product.stop();
  product = await startProduct(settings);
  if (isForDocs) await takeDocImages({ browser, url: product.url, filled: ids, target, isChosen, signIn });
  else await takeAll(ids);
} finally {
  await browser.close();
  await product.stop();
  await rm(folder, { recursive: true, force: true });
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(owner.email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await choosePassword(page);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
}

async function takeSetup(): Promise<void> {
  const page = await browser.newPage({ viewport: sizes.wide });
  await page.goto(`${product.url}/setup?token=${product.setupToken}`);
  await page.getByRole('button', { name: 'Create owner account' }).waitFor();
  await page.screenshot({ path: join(target, 'setup-light-wide.png') });
}

/** All pages, states and dialogs. */
async function takeAll(ids: Filled): Promise<void> {
  const pages = dashboardPages(ids);
  const windows = { ...dashboardDialogs(ids), ...serverPages };
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const scheme of ['light', 'dark'] as const) {
      for (const [name, state] of Object.entries(handlerStates)) {
        if (!isChosen(`${name}-${scheme}-${size}`)) continue;
        const before = await browser.newPage({ viewport, colorScheme: scheme });
        await openHandlerState(before, product.url, state);
        await before.screenshot({ path: join(target, `${name}-${scheme}-${size}.png`), fullPage: true });
        await before.close();
      }
      const page = await browser.newPage({ viewport, colorScheme: scheme });
      await page.goto(`${product.url}/handler/sign-in`);
      await signIn(page);
      for (const [name, path] of Object.entries(pages)) {
        if (!isChosen(`${name}-${scheme}-${size}`)) continue;
        await openDashboardPage(page, `${product.url}${path}`);
        await page.waitForTimeout(500); // charts
        await page.screenshot({ path: join(target, `${name}-${scheme}-${size}.png`), fullPage: size === 'narrow' });
      }
      for (const [name, { path, act }] of Object.entries(windows)) {
        if (!isChosen(`${name}-${scheme}-${size}`)) continue;
        await openDashboardPage(page, `${product.url}${path}`);
        await act?.(page);
        await page.waitForTimeout(500); // transitions
        await page.screenshot({ path: join(target, `${name}-${scheme}-${size}.png`) });
      }
      await page.close();
    }
  }
}
