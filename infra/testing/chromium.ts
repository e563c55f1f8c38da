import { existsSync } from 'node:fs';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { type Browser, chromium } from 'playwright-core';
import { openBrowsers } from './open-browsers.ts';

const chromiumPath = '/usr/bin/chromium';
/** Chromium without windows, toolbars and extensions. Pages take a quarter of the CPU time. */
const shellPath = '/usr/bin/chromium-headless-shell';
const executablePath = existsSync(shellPath) ? shellPath : chromiumPath;

/** Why browser tests can't run here, or null. With `REQUIRE_CHROMIUM` they fail instead of being skipped. */
export const noChromium =
  existsSync(executablePath) || process.env.REQUIRE_CHROMIUM ? null : `${chromiumPath} is not installed`;

/** Chromium without network requests of its own. Pages wait for elements as long as any test waits for a condition. */
export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(pollDeadlineMs);
    return context;
  };
  openBrowsers.add(browser);
  browser.on('disconnected', () => openBrowsers.delete(browser));
  return browser;
}
