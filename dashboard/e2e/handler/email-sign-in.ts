import { expect } from 'vitest';
import { test } from './fixture.ts';

export function testEmailSignIn(): void {
  test('sign in with the emailed code after a wrong attempt', async ({ page, waitForTitle, requestCode }) => {
    const { shortCode } = await requestCode();
    expect(shortCode).toMatch(/^[0-9A-Z]{6}$/);
    await page.keyboard.type(shortCode === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA');
    await page.getByRole('alert').waitFor();
    await page.keyboard.type((shortCode ?? '').toLowerCase());
    await waitForTitle('Projects');
  });

  test('sign in with the emailed link after confirmation and return to the requested page', async ({
    product,
    browser,
    page,
    open,
    waitForTitle,
    press,
    signOut,
    requestCode,
  }) => {
    await signOut();
    const wanted = '/projects?new=1';
    await open(wanted);
    await waitForTitle('Sign in');
    const { link } = await requestCode();
    // An email scanner opens the link before the user does.
    const scanner = await (await browser.newContext()).newPage();
    await scanner.goto(link);
    await waitForTitle('Sign in to Gatebook?', scanner);
    await scanner.context().close();
    await page.goto(link);
    await waitForTitle('Sign in to Gatebook?');
    await press('Sign in');
    await page.getByRole('dialog', { name: 'Create project' }).waitFor();
    expect(page.url()).toBe(product.url + wanted);
    await signOut();
    await page.goto(link);
    await press('Sign in');
    await waitForTitle('This link has already been used');
  });
}
