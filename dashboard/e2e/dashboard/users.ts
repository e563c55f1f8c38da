import { expect } from 'vitest';
import { findAccessFaults } from '../../../infra/testing/page-checks.ts';
import { shop, test } from './fixture.ts';

export function testUsers(): void {
  test('renames a user and shows the change in the history', async ({ page, title, region, dialog }) => {
    await page.getByRole('button', { name: 'Edit user' }).click();
    await dialog('Edit user').getByLabel('Name').fill('Ann Achebe');
    await dialog('Edit user').getByRole('button', { name: 'Save' }).click();
    await title('Ann Achebe').waitFor();
    const newest = region('History').getByRole('listitem').first();
    await newest.getByText(/display name .*Ann Achebe/i).waitFor();
    expect(await newest.textContent()).toContain('Maya Lindqvist (owner)');
  });

  test('revokes a session, which signs the app out', async ({ region, dialog, asApp }) => {
    const refresh = () =>
      asApp('POST', '/auth/sessions/current/refresh', {}, { 'x-stack-refresh-token': shop.refreshToken });
    expect((await refresh()).status).toBe(200);
    const ofApp = region('Sessions').getByRole('button', { name: 'Sign out Unknown device' });
    await ofApp.click();
    await dialog('Sign out this session?').getByRole('button', { name: 'Sign out' }).click();
    await ofApp.waitFor({ state: 'detached' });
    await region('Sessions').getByRole('button', { name: 'Sign out Chrome on Linux' }).waitFor();
    expect(await refresh()).toMatchObject({ status: 401, body: { code: 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED' } });
  });

  test('pages and searches through many users with the state in the URL', async ({ product, page, client }) => {
    for (let number = 1; number <= 27; number += 1) {
      const primaryEmail = `user${number}@mail.example`;
      await client.admin(shop.projectId).users.create({ displayName: `User ${number}`, primaryEmail });
    }
    await page.goto(`${product.url}/projects/${shop.projectId}/users`);
    await page.getByRole('link', { name: 'User 27' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(1 + 3);
    await page.reload();
    await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByRole('link', { name: 'User 27' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Signed up' }).click();
    await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search users' }).fill('achebe');
    await page.getByText('1 user', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?query=achebe&order=oldest');
    await page.goBack();
    await page.getByRole('link', { name: 'User 27' }).waitFor();
  });

  test('leads back to where the list of users was left', async ({ product, page, region }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/users`);
    const last = page.getByRole('row').last().getByRole('link').first();
    await last.scrollIntoViewIfNeeded();
    const top = () => page.evaluate(() => Math.round(scrollY));
    const left = await top();
    expect(left).toBeGreaterThan(100);
    await last.click();
    await region('History').waitFor();
    expect(await top()).toBe(0);
    await page.goBack();
    await expect.poll(top).toBe(left);
  });

  test('deletes a user after the email is typed', async ({ product, page, title, dialog }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/users?query=user27`);
    await page.getByRole('link', { name: 'User 27' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete user' }).click();
    await dialog('Delete this user?').getByRole('textbox').fill('user27@mail.example');
    await dialog('Delete this user?').getByRole('button', { name: 'Delete user' }).click();
    await title('Users').waitFor();
    await page.getByRole('link', { name: 'User 26' }).waitFor();
    expect(await page.getByRole('link', { name: 'User 27' }).count()).toBe(0);
  });

  test('restricts all users who match in one batch, and finds them by a filter', async ({
    product,
    page,
    region,
    dialog,
  }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/users?query=user1`);
    await page.getByRole('checkbox', { name: 'Select all users on this page' }).check();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Restrict', exact: true }).click();
    const asked = dialog('Restrict users');
    await asked.getByLabel('Reason').fill('Spam');
    await asked.getByText('Of the first 10 users: 10 users change').waitFor();
    await asked.getByRole('button', { name: 'Restrict 11 users' }).click();
    await region('Batch').getByText('Complete: 11 of 11 users').waitFor();
    await region('Batch').getByRole('button', { name: 'Close' }).click();
    await page.goto(`${product.url}/projects/${shop.projectId}/users?restricted=yes&order=active`);
    await page.getByText('11 users', { exact: true }).waitFor();
    expect(await findAccessFaults(page)).toEqual([]);
  });
}
