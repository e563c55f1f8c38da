import { expect } from 'vitest';
import { shop, test, visitor } from './fixture.ts';

export function testSettings(): void {
  test('keeps settings and the color scheme after a reload', async ({ product, page, title, saveChanges, asApp }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/domains`);
    await title('Domains').waitFor();
    await page.getByRole('link', { name: 'Sign-in methods' }).click();
    await title('Sign-in methods').waitFor();
    const signUp = page.getByRole('switch', { name: /^Sign-up/ });
    expect(await signUp.isChecked()).toBe(true);
    await signUp.click();
    await saveChanges('Sign-up: On → Off');
    await expect.poll(() => signUp.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Switch to dark mode' }).click();
    await page.reload();
    await expect.poll(() => signUp.isChecked()).toBe(false);
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    const answer = await asApp('POST', '/auth/password/sign-up', {
      email: 'late@mail.example',
      password: visitor.password,
      verification_callback_url: 'http://localhost:3000/handler/email-verification',
    });
    expect(answer.body.code).toBe('SIGN_UP_NOT_ENABLED');
  });

  test('asks before unsaved settings are left, and undoes saved ones', async ({ page, title, dialog, saveChanges }) => {
    const signUp = page.getByRole('switch', { name: /^Sign-up/ });
    await signUp.click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await dialog('Leave without saving?').getByRole('button', { name: 'Stay on this page' }).click();
    expect(await signUp.isChecked()).toBe(true);
    await page.goBack();
    await dialog('Leave without saving?').getByRole('button', { name: 'Stay on this page' }).click();
    await title('Sign-in methods').waitFor();
    const question = page.waitForEvent('dialog');
    const reload = page.reload({ timeout: 2_000 }).catch(() => {});
    await (await question).dismiss();
    await reload;
    expect(await signUp.isChecked()).toBe(true);
    await saveChanges('Sign-up: Off → On');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => signUp.isChecked()).toBe(false);
    await page.getByRole('link', { name: 'Overview' }).click();
    await title('Acme Shop').waitFor();
  });

  test('rejects a revoked key from the next request on', async ({ page, dialog, asApp }) => {
    expect((await asApp('GET', '/projects/current')).status).toBe(200);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Project keys' }).click();
    await page.getByRole('button', { name: 'Revoke Website' }).click();
    await dialog('Revoke this key?').getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect((await asApp('GET', '/projects/current')).body.code).toBe('INVALID_PUBLISHABLE_CLIENT_KEY');
  });
}
