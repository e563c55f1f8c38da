import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchChromium } from '../testing/chromium.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';
import { choosePassword } from '../testing/sign-in-page.ts';
import { fill, owner } from './fill.ts';
import { handlerStates, openHandlerState } from './handler-states.ts';

/** `npm run screenshots -- <folder>`: all dashboard and handler pages, light and dark, wide and at 390 px. */
const [target = 'screenshots'] = process.argv.slice(2);
const settingsPages = ['general', 'sign-in-methods', 'providers', 'domains', 'email', 'security', 'danger-zone'];
const sizes = { wide: { width: 1360, height: 860 }, narrow: { width: 390, height: 844 } } as const;

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
  const { projectId, emptyProjectId, userId, teamId, endpointId } = await fill(product, moveClock);
  // The worker counts complete days when it starts.
  await product.stop();
  product = await startProduct(settings);
  const home = `/projects/${projectId}`;
  const pages = {
    projects: '/projects',
    overview: home,
    'overview-compared': `${home}?range=7d&by=device&compare=yes`,
    users: `${home}/users`,
    user: `${home}/users/${userId}`,
    teams: `${home}/teams`,
    team: `${home}/teams/${teamId}`,
    permissions: `${home}/permissions`,
    'audit-log': `${home}/audit-log`,
    events: `${home}/events`,
    'event-types': `${home}/events?tab=types`,
    webhooks: `${home}/webhooks`,
    'webhook-endpoint': `${home}/webhooks/${endpointId}`,
    past: `${home}/users/${userId}?as_of=${Date.now()}`,
    emails: `${home}/emails`,
    members: `${home}/members`,
    keys: `${home}/settings/keys`,
    'new-key': `${home}/settings/keys?new=1`,
    'get-started': `/projects/${emptyProjectId}/get-started`,
    import: `/projects/${emptyProjectId}/import`,
    'no-users': `/projects/${emptyProjectId}`,
    ...Object.fromEntries(settingsPages.map((page) => [`settings-${page}`, `${home}/settings/${page}`])),
    operations: '/operations',
  };
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const scheme of ['light', 'dark'] as const) {
      for (const [name, state] of Object.entries(handlerStates)) {
        const before = await browser.newPage({ viewport, colorScheme: scheme });
        await openHandlerState(before, product.url, state);
        await before.screenshot({ path: join(target, `${name}-${scheme}-${size}.png`), fullPage: true });
        await before.close();
      }
      const page = await browser.newPage({ viewport, colorScheme: scheme });
      await page.goto(`${product.url}/handler/sign-in`);
      await signIn(page);
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${product.url}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(900);
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
