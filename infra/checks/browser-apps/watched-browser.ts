import type { Browser, BrowserContext } from 'playwright-core';
import type { Faults } from './faults.ts';

/**
 * Opens a window that reports every response of 400 or more and every error of its pages. Requests to other hosts, such
 * as js.stripe.com, are blocked and not counted.
 */
export async function openWatchedContext(browser: Browser, faults: Faults): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.route(
    ({ hostname }) => hostname !== 'localhost' && hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  context.on('response', (response) =>
    faults.addResponse({
      method: response.request().method(),
      path: new URL(response.url()).pathname,
      status: response.status(),
      header: (name) => response.headers()[name],
    }),
  );
  context.on('weberror', (error) => faults.add(`page error: ${error.error()}`));
  context.on('console', (message) => {
    const isOfLoading = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfLoading) faults.add(`console: ${message.text()}`);
  });
  context.on('dialog', (dialog) => {
    faults.add(`alert: ${dialog.message()}`);
    // The page can be gone by now.
    dialog.dismiss().catch(() => undefined);
  });
  return context;
}
