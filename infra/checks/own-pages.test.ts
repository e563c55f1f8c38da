import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { InboxMessage } from '@gatebook/api/inbox';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildBareApp } from '../docs/openapi-document.ts';
import { findAxeFaults } from '../testing/axe.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { findOverflow } from '../testing/page-checks.ts';
import { type Watch, watchPages } from '../testing/watched-page.ts';

const message = (id: string, subject: string): InboxMessage => ({
  id,
  at: '2026-11-23T12:00:00.000Z',
  from: 'Shop <shop@gatebook.example>',
  to: ['ann@mail.example'],
  subject,
  html: '<html lang="en"><head><title>Code</title></head><body><main><h1>Your code</h1></main></body></html>',
  text: 'Your code is 123456. https://shop.example/code',
});
const messages = [message('1', 'Your code')];
const inbox = {
  list: async () => messages.toReversed(),
  find: async (id: string) => messages.find((one) => one.id === id) ?? null,
};

describe.skipIf(noChromium)(`pages of the server itself${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
  let app: Awaited<ReturnType<typeof buildBareApp>>;
  let origin: string;
  let browser: Browser;
  let watch: Watch;
  beforeAll(async () => {
    app = await buildBareApp({ inbox });
    await app.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    browser = await launchChromium();
    watch = watchPages(browser, origin);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const open = async (path: string, look: Parameters<Watch['open']>[0]): Promise<Page> => {
    const page = await watch.open(look);
    await page.goto(`${origin}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  };

  test.each([
    ['/docs', 'light', 1440],
    ['/docs', 'dark', 390],
    ['/inbox', 'light', 390],
    ['/inbox', 'dark', 1440],
    ['/inbox/1', 'light', 1440],
    ['/inbox/1', 'dark', 390],
  ] as const)(
    '%s in %s mode at %i px passes axe, fits, and leads to the dashboard',
    async (path, colorScheme, width) => {
      const page = await open(path, { colorScheme, width });
      // Axe takes half a minute for all operations.
      if (path === '/docs') await page.getByLabel('Filter').fill('team-invitations');
      expect(await findAxeFaults(page)).toEqual([]);
      expect(await findOverflow(page)).toBe(0);
      expect(await page.getByRole('link', { name: 'Dashboard', exact: true }).getAttribute('href')).toBe('/');
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      await page.close();
      expect(watch.complaints).toEqual([]);
    },
  );

  test('the inbox shows a new email in place and keeps the focus', async () => {
    const page = await open('/inbox', { colorScheme: 'light' });
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.getByRole('link', { name: 'Your code' }).focus();
    messages.push(message('2', 'Welcome to Shop'));
    await page.getByText('1 new email').waitFor();
    await page.getByRole('link', { name: 'Welcome to Shop' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('/inbox/1');
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    await page.close();
  });

  test('the API reference is one small response that runs only its own scripts', async () => {
    const page = await watch.open({ colorScheme: 'light' });
    const answers: string[] = [];
    page.on('response', (answer) => answers.push(answer.url()));
    const answer = await page.goto(`${origin}/docs`);
    expect(answer?.headers()['content-encoding']).toBe('gzip');
    expect(answer?.headers()['content-security-policy']).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect(gzipSync((await answer?.body()) ?? '').length).toBeLessThan(400_000);
    expect(answers).toEqual([`${origin}/docs`]);
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      return 'injected' in window;
    });
    expect(ran).toBe(false);
    await page.close();
  });

  test('the API reference filters operations and sends a request', async () => {
    const page = await open('/docs', { colorScheme: 'light' });
    await page.getByLabel('Filter').fill('get dashboard/config.json');
    await page.getByText('1 operation').waitFor();
    expect(await page.getByRole('heading', { name: 'Sign up with email and password' }).isVisible()).toBe(false);
    const groups = page.locator('nav .tag:visible');
    expect(await groups.count()).toBe(1);
    expect(await page.locator('main h2:visible').allInnerTexts()).toEqual([
      ...(await groups.allInnerTexts()),
      'Schemas',
    ]);
    const article = page.locator('article:visible').first();
    await article.getByText('Try it').click();
    await article.getByLabel('Query').waitFor();
    await page.route('**/dashboard/config.json*', (route) => route.fulfill({ json: { version: '9.9' } }));
    await article.getByLabel('Query').fill('a=b');
    const [request] = await Promise.all([
      page.waitForRequest('**/dashboard/config.json?a=b'),
      article.getByRole('button', { name: 'Send' }).click(),
    ]);
    expect(request.headers()).toMatchObject({ 'x-stack-access-type': 'client' });
    await article.getByText('"version": "9.9"').waitFor();
    await page.close();
  });
});
