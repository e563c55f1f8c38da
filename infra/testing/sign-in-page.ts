import type { Page } from 'playwright-core';

/** Goes on with a password after the email address, whichever method the browser used last. */
export async function choosePassword(page: Page): Promise<void> {
  const other = page.getByRole('button', { name: 'Use a password instead' });
  await other.or(page.getByRole('button', { name: 'Use an email code instead' })).waitFor();
  if (await other.isVisible()) await other.click();
}

/** The same with an email code. */
export async function requestEmailCode(page: Page): Promise<void> {
  const other = page.getByRole('button', { name: 'Use an email code instead' });
  await other.or(page.getByRole('button', { name: 'Use a password instead' })).waitFor();
  if (await other.isVisible()) await other.click();
  await page.getByRole('button', { name: 'Email me a code' }).click();
}
