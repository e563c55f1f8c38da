import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchChromium } from '../testing/chromium.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';
import { choosePassword } from '../testing/sign-in-page.ts';
import { dashboardPages, openDashboardPage } from './dashboard-pages.ts';
import { fill, owner } from './fill.ts';
import { handlerStates, openHandlerState } from './handler-states.ts';

/**
 * `npm run screenshots -- <folder> [<pattern>]`: all dashboard and handler pages, light and dark, wide and at 390 px.
 * The pattern chooses images by name, as in `^(users|team)-light`.
 */
const [target = 'screenshots', pattern = '.'] = process.argv.slice(2);
const isChosen = (name: string): boolean => new RegExp(pattern).test(name);
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
let product = await startProduct(settings);
const browser = await launchChromium();
try {
  await mkdir(target, { recursive: true });
  const before = await browser.newPage({ viewport: sizes.wide });
  await before.goto(`${product.url}/setup?token=${product.setupToken}`);
  await before.getByRole('button', { name: 'Create owner account' }).waitFor();
  await before.screenshot({ path: join(target, 'setup-light-wide.png') });
  const ids = await fill(product, moveClock);
  // The worker counts complete days when it starts.
  await product.stop();
  product = await startProduct(settings);
  const pages = dashboardPages(ids);
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
      await page.close();
    }
  }
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
