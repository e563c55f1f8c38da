import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { buildBareApp } from '../docs/openapi-document.ts';
import { launchChromium, noChromium } from '../testing/chromium.ts';
import { watchPages } from '../testing/watched-page.ts';

test.skipIf(noChromium)(
  `the API reference works without inline scripts being allowed${noChromium ? ` (left out: ${noChromium})` : ''}`,
  async () => {
    const app = await buildBareApp();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const browser = await launchChromium();
    try {
      const watch = watchPages(browser, origin);
      const page = await watch.open({ colorScheme: 'light' });
      const answer = await page.goto(`${origin}/docs/`);
      expect(answer?.headers()['content-security-policy']).not.toMatch(/script-src[^;]*unsafe-inline/);
      await page.getByText('Contact channels').first().waitFor();
      expect(watch.complaints.filter((text) => /security policy|rejected to/i.test(text))).toEqual([]);
      const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.injected = true';
        document.body.append(script);
        return 'injected' in window;
      });
      expect(ran).toBe(false);
    } finally {
      await browser.close();
      await app.close();
    }
  },
);
