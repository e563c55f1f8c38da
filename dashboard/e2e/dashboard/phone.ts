import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { findPageFaults } from '../../../infra/testing/page-checks.ts';
import { owner, shop, test } from './fixture.ts';

export function testPhone(): void {
  test('fits 390 px, is accessible in light and dark mode, and has a menu of pages', async ({ product, watch }) => {
    const phone = await watch.open({ colorScheme: 'light', width: 390 });
    await phone.goto(`${product.url}/sign-up`);
    await phone.getByText('Sign-up is closed').first().waitFor();
    await phone.goto(`${product.url}/sign-in`);
    await signInByPassword(phone, owner);
    await phone.getByRole('heading', { name: 'Projects' }).waitFor();
    await phone.goto(`${product.url}/projects/${shop.projectId}`);
    await phone.getByText('Latest sign-ups').waitFor();
    expect(await findPageFaults(phone)).toEqual([]);
    await phone.goto(`${product.url}/projects/${shop.projectId}/nowhere`);
    await phone.getByText('Page not found').first().waitFor();
    expect(await findPageFaults(phone)).toEqual([]);
    await phone.goBack();
    await phone.getByRole('button', { name: 'Open menu' }).click();
    await phone.getByRole('dialog').getByRole('link', { name: 'Users' }).click();
    await phone.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await phone.getByRole('dialog').waitFor({ state: 'detached' });
    await phone.close();
  });
}
