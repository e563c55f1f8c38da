import { expect } from 'vitest';
import { ann, test } from './fixture.ts';

export function testBrowserSettings(): void {
  test('follow the color scheme chosen in the dashboard', async ({ watch, open, waitForTitle }) => {
    const fresh = await watch.open({ colorScheme: 'light' });
    await open('/handler/error', fresh);
    const ground = () => fresh.locator('.gbh').evaluate((element) => getComputedStyle(element).backgroundColor);
    const light = await ground();
    await fresh.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
    await fresh.reload();
    await waitForTitle('Something went wrong', fresh);
    expect([light, await ground()]).toEqual(['rgb(248, 247, 243)', 'rgb(18, 21, 20)']);
  });

  test('can be used with the keyboard only', async ({ browser, watch, open, waitForTitle }) => {
    const fresh = await watch.open({ colorScheme: 'light', context: await browser.newContext() });
    await open('/handler/sign-in', fresh);
    await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
    await fresh.keyboard.type(ann.email);
    await fresh.keyboard.press('Enter');
    await fresh.getByRole('button', { name: 'Email me a code' }).waitFor();
    await fresh.keyboard.press('Tab');
    await fresh.keyboard.press('Enter');
    await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password');
    await fresh.keyboard.type(ann.password);
    await fresh.keyboard.press('Enter');
    await waitForTitle('Projects', fresh);
    await fresh.context().close();
  });
}
