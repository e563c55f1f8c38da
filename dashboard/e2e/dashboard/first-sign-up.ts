import { readFile } from 'node:fs/promises';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { shop, test, visitor } from './fixture.ts';

async function saveChart(page: Page, kind: string, name: string, content: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Export Sign-ups' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: kind }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe(name);
  expect(await readFile(await download.path(), 'latin1')).toMatch(content);
}

export function testFirstSignUp(): void {
  test('notices the first request of an app, and the first sign-up, made on the server’s own pages, while Get started is open', async ({
    page,
    region,
    asApp,
  }) => {
    await page.getByRole('link', { name: 'Get started' }).click();
    await region('First sign-up').getByText('Waiting for the first sign-up').waitFor();
    await region('First request').getByText('Waiting for the first request').waitFor();
    await asApp('GET', '/projects/current', undefined, { 'x-stack-publishable-client-key': 'pck_wrong' });
    await region('First request').getByText('INVALID_PUBLISHABLE_CLIENT_KEY').waitFor();
    await region('First request').getByRole('link', { name: 'Show why it was rejected' }).waitFor();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Try the sign-in pages' }).click();
    const trial = await opened;
    await trial.getByText('for Acme Shop').waitFor();
    await trial.getByLabel('Email').fill(visitor.email);
    await trial.getByLabel('Password', { exact: true }).fill(visitor.password);
    await trial.getByLabel('Repeat password').fill(visitor.password);
    await trial.getByRole('button', { name: 'Sign up' }).click();
    await trial.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
    expect(new URL(trial.url()).searchParams.get('project_id')).toBe(shop.projectId);
    await trial.close();
    await region('First sign-up').getByRole('link', { name: visitor.email }).waitFor();
    // The server’s own pages are no app.
    await region('First request').getByText('Waiting for the first request').waitFor();
    await region('Before you go live').getByText('1 of 6 steps done').waitFor();
    const { status, body } = await asApp('POST', '/auth/password/sign-in', visitor);
    expect(status).toBe(200);
    await region('First request').getByText('Received:').waitFor();
    await region('First request').getByText('node', { exact: true }).waitFor();
    shop.refreshToken = body.refresh_token ?? '';
  });

  test('offers the sign-in of a project to its members only', async ({ product, browser, page }) => {
    const stranger = await browser.newContext();
    const outside = await stranger.newPage();
    await outside.goto(`${product.url}/handler/sign-in?project_id=${shop.projectId}`);
    await outside.getByRole('heading', { name: 'You can’t try this sign-in' }).waitFor();
    await stranger.close();
    const other = await page.context().newPage();
    await other.goto(`${product.url}/handler/sign-in?project_id=${crypto.randomUUID()}`);
    await other.getByRole('heading', { name: 'You can’t try this sign-in' }).waitFor();
    await other.close();
  });

  test('shows a new sign-up in the chart, saves the chart, and leads to the people of the day', async ({
    page,
    title,
    region,
  }) => {
    await page.getByRole('link', { name: 'Overview' }).click();
    const isCounted = region('Sign-ups').getByText(/^Highest: 1 sign-up, .* \(so far\)/);
    // Metrics can lag behind the sign-up, and an open page does not read them again.
    await vi.waitFor(
      () =>
        isCounted
          .waitFor({ state: 'attached', timeout: 2_000 })
          .catch((error) => page.reload().then(() => Promise.reject(error))),
      { timeout: pollDeadlineMs },
    );
    await region('Sign-ups').locator('svg .recharts-bar-rectangle rect').first().waitFor();
    await page.getByRole('link', { name: '7 days', exact: true }).click();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By method');
    await region('Sign-ups').getByText('Password', { exact: true }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?range=7d&by=method');
    await saveChart(page, 'CSV', 'sign-ups-7d-day-method.csv', /count,Password\r\n/);
    await saveChart(page, 'SVG image', 'sign-ups-7d-day-method.svg', /<svg .*<rect .*<\/svg>/s);
    await saveChart(page, 'PNG image', 'sign-ups-7d-day-method.png', /^.PNG/);
    await region('Sign-ups').getByText('Show as table').click();
    await region('Sign-ups')
      .getByRole('link', { name: /^\w+ \d+ \(so far\)$/ })
      .click();
    await page.getByText(/^Signed up .* \(UTC\)$/).waitFor();
    await page.getByRole('link', { name: visitor.email }).click();
    await title(visitor.email).waitFor();
  });

  test('prints the lower cards of an overview that was just opened', async ({ page, product }) => {
    const opened = await page.context().newPage();
    await opened.addInitScript(() => {
      const countLoading = () => document.querySelectorAll('[role="status"][aria-label="Loading"]').length;
      const observer = new MutationObserver(async () => {
        if (countLoading() === 0) return;
        observer.disconnect();
        dispatchEvent(new Event('beforeprint'));
        // The browser prints before the next task.
        for (let turn = 0; turn < 50; turn += 1) await null;
        const titles = [...document.querySelectorAll('main h2')].map(({ textContent }) => textContent);
        Object.assign(globalThis, { printed: { loading: countLoading(), titles } });
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    await opened.goto(`${product.url}/projects/${shop.projectId}`);
    const printed = await opened.waitForFunction(() => (globalThis as { printed?: object }).printed);
    expect(await printed.jsonValue()).toEqual({
      loading: 0,
      titles: expect.arrayContaining(['Sign-ups', 'Active users', 'Sign-ins', 'Latest sign-ups']),
    });
    await opened.close();
  });
}
