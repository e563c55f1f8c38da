import type { Page } from 'playwright-core';

/** A passkey authenticator that approves every request. */
export async function addVirtualAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

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
