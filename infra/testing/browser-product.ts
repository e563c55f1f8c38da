import { rm } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { buildDashboard } from './build-dashboard.ts';
import { launchChromium } from './chromium.ts';
import { makeDataFolder } from './passable-folder.ts';
import { startOnCopy } from './prepared-data.ts';
import type { Product } from './product.ts';
import { choosePassword } from './sign-in-page.ts';
import { type Watch, watchPages } from './watched-page.ts';

/** An installation in a new folder, and a browser that opens its pages. */
export type BrowserProduct = {
  folder: string;
  product: Product;
  browser: Browser;
  watch: Watch;
  /** A light page that is open from the start. */
  page: Page;
  close(): Promise<void>;
};

/** Starts a new installation without rate limits. `name`: part of its folder's name. */
export async function startBrowserProduct(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BrowserProduct> {
  await buildDashboard();
  const folder = await makeDataFolder(`gatebook-${name}-`);
  const product = await startOnCopy(folder, { GATEBOOK_RATE_LIMITS: 'off', ...settings });
  const browser = await launchChromium();
  const watch = watchPages(browser, product.url);
  return {
    folder,
    product,
    browser,
    watch,
    page: await watch.open({ colorScheme: 'light' }),
    close: async () => {
      await browser.close();
      await product.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fills in the sign-in page that is shown. */
export async function signInByPassword(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await choosePassword(page);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in an owner, who then sees the projects. */
export async function signInToDashboard(
  page: Page,
  { url }: Product,
  owner: Parameters<typeof signInByPassword>[1],
): Promise<void> {
  await page.goto(`${url}/handler/sign-in`);
  await signInByPassword(page, owner);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
}
