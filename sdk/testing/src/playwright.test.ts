import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, noChromium } from '../../../infra/testing/chromium.ts';
import { signIn, storageState } from './playwright.ts';

const user = { tokens: { accessToken: 'a1', refreshToken: 'r1' } };
const cookies = { 'stack-refresh-p1': 'r1', 'stack-access': '["r1","a1"]' };

describe.skipIf(noChromium)(`in Chromium${noChromium ? ` (left out: ${noChromium})` : ''}`, () => {
  let browser: Browser;
  let url: string;
  const server = createServer((request, response) => response.end(decodeURIComponent(request.headers.cookie ?? '')));
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  const sentCookies = (text: string | null) =>
    Object.fromEntries((text ?? '').split('; ').map((pair) => pair.split('=') as [string, string]));

  test('a user who is signed in on a page is sent by the browser', async () => {
    const page = await browser.newPage();
    await signIn(page, user, { url, projectId: 'p1' });
    await page.goto(url);
    expect(sentCookies(await page.textContent('body'))).toEqual(cookies);
    await page.close();
  });

  test('a browser context starts with a signed-in user', async () => {
    const context = await browser.newContext({ storageState: storageState(user, { url, projectId: 'p1' }) });
    const page = await context.newPage();
    await page.goto(url);
    expect(sentCookies(await page.textContent('body'))).toEqual(cookies);
    await context.close();
  });
});
