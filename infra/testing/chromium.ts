import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Why browser tests can't run here, or null. `REQUIRE_CHROMIUM` makes them fail instead of being left out. */
export const noChromium =
  existsSync(executablePath) || process.env.REQUIRE_CHROMIUM ? null : `${executablePath} is not installed`;

/** Chromium without its own traffic to the outside. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}
