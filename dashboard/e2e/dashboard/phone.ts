import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { walkTo } from '../../../infra/testing/dashboard-walk.ts';
import { findPageFaults } from '../../../infra/testing/page-checks.ts';
import { owner, shop, test, visitor } from './fixture.ts';

export function testPhone(): void {
  test('every page fits 390 px and is accessible in light and dark mode', async ({ product, watch, client, asApp }) => {
    await asApp('POST', '/auth/password/sign-in', visitor);
    const phone = await watch.open({ colorScheme: 'light', width: 390 });
    const home = `/projects/${shop.projectId}`;
    const nowhere = `${home}/nowhere`;
    let isSignedIn = false;
    const check = async (path: string, sign: string | RegExp, act = async () => {}) => {
      if (isSignedIn && path !== nowhere) await walkTo(phone, path);
      else await phone.goto(product.url + path);
      await phone.getByText(sign).first().waitFor();
      await act();
      expect(await findPageFaults(phone), path).toEqual([]);
    };
    await check('/sign-up', 'Sign-up is closed');
    await check('/setup', 'This link is incomplete');
    await check('/sign-in', 'Sign in with a passkey');
    await signInByPassword(phone, owner);
    await phone.getByRole('heading', { name: 'Projects' }).waitFor();
    isSignedIn = true;
    const { items } = await client.admin(shop.projectId).users.list({ query: 'achebe', limit: 1 });
    await check('/projects', 'Acme Shop');
    await check('/projects?new=1', 'Create project');
    await check(home, 'Latest sign-ups');
    await check(`${home}/users`, 'Late comer');
    await check(`${home}/users?query=nobody-at-all`, 'No users found');
    await check(`${home}/users/${items[0]?.id}`, /display name .*Ann Achebe/i);
    await check(`${home}/users/${shop.projectId}`, 'This user does not exist');
    await check(`${home}/teams`, 'Editors');
    await check(shop.teamPath, 'Deployment');
    await check(shop.teamPath, 'Deployment', async () => {
      await phone.getByRole('button', { name: 'Permissions of Ann Achebe' }).click();
      await phone.getByText('(through editor)').first().waitFor();
    });
    await check(`${home}/permissions`, 'Default permissions');
    await check(`${home}/permissions`, 'Default permissions', async () => {
      await phone.getByRole('button', { name: 'Edit editor' }).click();
      await phone.getByRole('dialog').getByText('Users with this permission also have these.').waitFor();
    });
    await check(`${home}/keys`, 'Website');
    await check(`${home}/settings`, 'Production mode', async () => {
      await phone.getByLabel('Name', { exact: true }).fill('Acme Store');
      await phone.getByRole('region', { name: 'Unsaved changes' }).getByText('Can be undone.').waitFor();
    });
    await phone.getByRole('button', { name: 'Discard' }).click();
    await check(`${home}/settings/sign-in-methods`, 'Anonymous accounts');
    await check(`${home}/settings/providers`, 'Add provider', async () => {
      await phone.getByRole('button', { name: 'Add provider' }).click();
      await phone.getByRole('dialog').getByLabel('Provider').waitFor();
    });
    await check(`${home}/settings/domains`, 'Add domain', async () => {
      await phone.getByRole('button', { name: 'Add domain' }).click();
      await phone.getByRole('button', { name: 'Save' }).click();
      await phone.getByText('Enter a URL that starts with https://').waitFor();
    });
    await phone.getByRole('button', { name: 'Discard' }).click();
    await check(`${home}/settings/email`, 'Outgoing email', async () => {
      await phone.getByLabel('Sender', { exact: true }).selectOption('Your own SMTP server');
      await phone.getByRole('button', { name: 'Save' }).click();
      await phone.getByText('Enter a hostname').waitFor();
    });
    await phone.getByRole('button', { name: 'Discard' }).click();
    await check(`${home}/settings/security`, 'Teams joined per user');
    await check(`${home}/settings/danger-zone`, 'Delete project');
    await check(`${home}/emails`, 'Password reset');
    await check(`${home}/emails/magic_link`, 'Available variables', async () => {
      await phone.getByRole('button', { name: 'Button: Sign in', exact: true }).click();
      await phone.getByLabel('URL', { exact: true }).waitFor();
    });
    await check('/operations', 'Integrity checks');
    await check(nowhere, 'Page not found');
    await walkTo(phone, home);
    await phone.getByRole('button', { name: 'Open menu' }).click();
    await phone.getByRole('dialog').getByRole('link', { name: 'Users' }).click();
    await phone.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await phone.getByRole('dialog').waitFor({ state: 'detached' });
    await phone.close();
  });
}
