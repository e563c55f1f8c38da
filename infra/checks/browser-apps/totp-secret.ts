import type { Page } from 'playwright-core';

/** @returns a function that reads the TOTP secret that the page generated last: 20 random bytes */
export async function watchTotpSecret(page: Page): Promise<() => Promise<Uint8Array>> {
  await page.addInitScript(() => {
    const generate = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = <Bytes extends ArrayBufferView<ArrayBuffer>>(array: Bytes) => {
      const filled = generate(array);
      if (filled instanceof Uint8Array && filled.length === 20) Reflect.set(window, 'totpSecret', [...filled]);
      return filled;
    };
  });
  return async () => Uint8Array.from(await page.evaluate(() => Reflect.get(window, 'totpSecret')));
}
