import { expect } from 'vitest';
import { findAxeFaults } from '../../../infra/testing/axe.ts';
import { owner, shop, test } from './fixture.ts';

export function testFirstOwner(): void {
  test('says on a fresh server how to create the owner', async ({ product, page, title }) => {
    await page.goto(`${product.url}/`);
    await title('Create the owner account').waitFor();
    await page.getByText(`${product.url}/setup?token=…`).waitFor();
    await page.getByText('restart Gatebook').waitFor();
    expect(await findAxeFaults(page)).toEqual([]);
  });

  test('creates the first owner with the printed setup link', async ({ product, page, title }) => {
    const link = `${product.url}/setup?token=${product.setupToken}`;
    await page.goto(link);
    await page.getByLabel('Your name').fill(owner.displayName);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: 'Create owner account' }).click();
    await title('Projects').waitFor();
    await page.goto(link);
    await title('This link has already been used').waitFor();
  });

  test('loads less than 200 kB for its first page', async ({ product, watch }) => {
    const fresh = await watch.open({ colorScheme: 'light' });
    await fresh.goto(`${product.url}/setup`);
    await fresh.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    const bytes = await fresh.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .map(({ encodedBodySize }) => encodedBodySize)
        .reduce((sum, size) => sum + size, 0),
    );
    await fresh.close();
    // About 180 kB; charts, other pages or a development build would exceed the limit.
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
  });

  test('creates a project and a key that is shown once', async ({ product, page, title, dialog }) => {
    await page.goto(`${product.url}/projects`);
    await page.getByRole('button', { name: 'Create project' }).click();
    await dialog('Create project').getByLabel('Name').fill('Acme Shop');
    await dialog('Create project').getByRole('button', { name: 'Create project' }).click();
    await title('Get started').waitFor();
    shop.projectId = new URL(page.url()).pathname.split('/')[2] ?? '';
    expect(await findAxeFaults(page)).toEqual([]);
    await page.goto(`${product.url}/projects/${shop.projectId}/settings/keys?new=1`);
    await dialog('Create key').getByLabel('Name').fill('Website');
    await dialog('Create key').getByRole('button', { name: 'Create key' }).click();
    const shown = dialog('Save your key');
    shop.clientKey = (await shown.getByText(/^pck_/).textContent()) ?? '';
    expect(shop.clientKey).toMatch(/^pck_[0-9a-z]{45}$/);
    await shown.getByRole('button', { name: 'Done, I’ve saved it' }).click();
    await page.getByText(`pck_…${shop.clientKey.slice(-4)}`).waitFor();
    expect(await page.getByText(shop.clientKey).count()).toBe(0);
  });
}
