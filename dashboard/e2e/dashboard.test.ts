import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, noChromium } from '../../infra/testing/chromium.ts';
import { makePassableFolder } from '../../infra/testing/passable-folder.ts';
import { type Product, startProduct } from '../../infra/testing/product.ts';

const owner = { email: 'maya@gatebook.example', password: 'open the gate', name: 'Maya Lindqvist' };

describe.skipIf(noChromium)(`the dashboard in a browser${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
  let folder: string;
  let product: Product;
  let browser: Browser;
  let page: Page;
  /** What must not happen anywhere: errors in the console, requests to other places. */
  const faults: string[] = [];

  beforeAll(async () => {
    execFileSync('npm', ['run', '--silent', 'build'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: 'pipe',
    });
    folder = await makePassableFolder('gatebook-e2e-');
    product = await startProduct({ GATEBOOK_DATA_DIR: join(folder, 'data'), GATEBOOK_RATE_LIMITS: 'off' });
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(8_000);
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(product.url) && !request.url().startsWith('data:'))
        faults.push(`request: ${request.url()}`);
    });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  let projectPath = '';
  let clientKey = '';

  test('the set-up link makes the first owner', { timeout: 30_000 }, async () => {
    await page.goto(`${product.url}/setup?token=${product.setupToken}`);
    await page.getByLabel('Your name').fill(owner.name);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await button('Open the gate').click();
    await heading('Projects');
    await page.getByText(owner.name).first().waitFor();
  });

  test('a project is created and gets a key that is shown once', { timeout: 30_000 }, async () => {
    await button('New project').first().click();
    await page.getByLabel('Name').fill('Acme Shop');
    await button('Create project').click();
    await heading('Acme Shop');
    projectPath = new URL(page.url()).pathname;
    await page.getByRole('link', { name: 'Project keys' }).click();
    await heading('Project keys');
    await button('New key').first().click();
    await page.getByLabel('What is it for?').fill('Website');
    await button('Create key').click();
    await page.getByRole('dialog').getByText('It is shown this once').waitFor();
    clientKey = (await page.getByRole('dialog').locator('code', { hasText: 'pck_' }).textContent()) ?? '';
    expect(clientKey).toMatch(/^pck_[0-9a-z]{45}$/);
    await button('I have copied it').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(clientKey);
    await page.getByText(`pck_…${clientKey.slice(-4)}`).waitFor();
  });

  test('who signs up in the app shows in the overview and the table', { timeout: 30_000 }, async () => {
    for (const name of ['ann', 'bo']) await signUp(product, projectPath, clientKey, `${name}@mail.example`);
    await page.goto(`${product.url}${projectPath}`);
    await page.getByText('ann@mail.example').waitFor();
    await page.getByRole('heading', { name: 'Sign-ups per day' }).waitFor();
    await page.locator('.recharts-bar-rectangle path').last().waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search users' }).fill('BO@');
    await page.waitForURL(/query=BO/);
    await page.getByText('ann@mail.example').waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByText('bo@mail.example').first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('BO@');
    expect(await page.getByText('ann@mail.example').count()).toBe(0);
  });

  test('a user is renamed, the history says by whom, and a session is revoked', { timeout: 30_000 }, async () => {
    await page.getByRole('link', { name: 'bo@mail.example' }).click();
    await heading('bo@mail.example');
    await button('Edit').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Bo Lindgren');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await heading('Bo Lindgren');
    await page.getByText('Display name became Bo Lindgren').waitFor();
    await page.getByText(`by ${owner.name}, owner`).first().waitFor();
    await button('Revoke').first().click();
    await button('Revoke session').click();
    await page.getByText('A session was revoked').waitFor();
  });

  test('settings stay after a reload, and a key can be revoked', { timeout: 30_000 }, async () => {
    await page.goto(`${product.url}${projectPath}/settings`);
    const isOn = () => page.getByRole('switch', { name: 'Passkey' }).isChecked();
    expect(await isOn()).toBe(false);
    await page.getByRole('switch', { name: 'Passkey' }).click({ force: true });
    await expect.poll(isOn).toBe(true);
    await page.reload();
    await heading('Settings');
    await expect.poll(isOn).toBe(true);
    await page.goto(`${product.url}${projectPath}/keys`);
    await button('Revoke Website').click();
    await button('Revoke key').click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(await signUp(product, projectPath, clientKey, 'late@mail.example')).toBe(401);
  });

  test('no page scrolls sideways at 390 px, and every control has a name', { timeout: 60_000 }, async () => {
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/projects', '', '/users', '/keys', '/settings', '/operations']) {
      const address = ['/projects', '/operations'].includes(path) ? path : `${projectPath}${path}`;
      await page.goto(`${product.url}${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
      expect
        .soft(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), address)
        .toBeLessThanOrEqual(0);
      expect.soft(await namelessControls(page), address).toEqual([]);
    }
    if (wide) await page.setViewportSize(wide);
  });

  test('operations follow the log live', { timeout: 30_000 }, async () => {
    await page.goto(`${product.url}/operations`);
    await heading('Operations');
    const head = async () => Number((await page.locator('dd').first().textContent())?.replaceAll(',', ''));
    await expect.poll(head).toBeGreaterThan(0);
    const before = await head();
    await createProjectByApi(page);
    await expect.poll(head, { timeout: 5_000 }).toBeGreaterThan(before);
  });

  test('signing out leads to the sign-in page, which knows a wrong password', { timeout: 30_000 }, async () => {
    await button('Sign out').click();
    await heading('Sign in');
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await button('Sign in').click();
    await page.getByText('This e-mail and password do not fit together.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await button('Sign in').click();
    await heading('Projects');
  });

  test('nothing went wrong in the console, and nothing was asked of another place', () => {
    const expected = /status of (401|400)/;
    expect(faults.filter((fault) => !expected.test(fault))).toEqual([]);
  });
});

/** Another project of the signed-in owner, made beside the page. */
async function createProjectByApi(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(new URL('/projects?new=1', page.url()).href);
  await other.getByLabel('Name').fill('Playground');
  await other.getByRole('button', { name: 'Create project' }).click();
  await other.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  await other.close();
}

async function signUp({ url }: Product, projectPath: string, key: string, email: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/auth/password/sign-up`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectPath.split('/')[2] ?? '',
      'x-stack-publishable-client-key': key,
    },
    body: JSON.stringify({
      email,
      password: 'correct horse',
      verification_callback_url: `${url}/handler/email-verification`,
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function namelessControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href], input, textarea, select')]
      .filter((control) => control.checkVisibility())
      .filter((control) => {
        const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])] : [];
        const name = [
          control.getAttribute('aria-label'),
          control.textContent,
          control.title,
          ...labels.map((label) => label.textContent),
        ];
        const isLabelled =
          control.hasAttribute('aria-labelledby') ||
          (control.id !== '' && document.querySelector(`label[for="${control.id}"]`) !== null);
        return !isLabelled && !name.some((text) => text?.trim());
      })
      .map((control) => control.outerHTML.slice(0, 120)),
  );
}
