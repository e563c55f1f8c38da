import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { findAccessFaults } from '../../../infra/testing/page-checks.ts';
import { owner, shop, test } from './fixture.ts';

export function testNavigation(): void {
  test('opens a user with the command palette, and a setting that is scrolled to', async ({
    page,
    title,
    region,
    dialog,
  }) => {
    const found = dialog('Search').getByRole('combobox');
    await page.keyboard.press('Control+k');
    await found.fill('achebe');
    await dialog('Search').getByRole('option', { name: 'Ann Achebe' }).waitFor();
    expect(await findAccessFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await title('Ann Achebe').waitFor();
    await page.keyboard.press('Control+k');
    await found.fill('production');
    await dialog('Search').getByRole('option', { name: 'Production mode' }).waitFor();
    await page.keyboard.press('Enter');
    await title('General').waitFor();
    await expect
      .poll(() => region('Production mode').evaluate((card) => card.getBoundingClientRect().top < innerHeight))
      .toBe(true);
    await dialog('Search').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await title('Users').waitFor();
  });

  test('updates the operations page while the log grows', async ({ page, client, region }) => {
    await page.getByRole('link', { name: 'Operations' }).click();
    const head = page.locator('dt:has-text("Log head") + dd');
    await head.waitFor();
    const before = Number((await head.textContent())?.replaceAll(',', ''));
    await client.admin(shop.projectId).users.create({ displayName: 'Late comer' });
    await expect.poll(async () => Number((await head.textContent())?.replaceAll(',', ''))).toBeGreaterThan(before);
    expect(await region('Projections').getByText('Running').count()).toBeGreaterThanOrEqual(2);
  });

  test('can be used with the keyboard only', async ({ product, page, dialog }) => {
    await page.goto(`${product.url}/projects`);
    await page.getByRole('button', { name: 'Create project' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Deleted projects');
    await page.keyboard.press('Tab');
    const edgeOf = () => page.evaluate(() => document.querySelector('main')?.getBoundingClientRect().right);
    const edge = await edgeOf();
    await page.keyboard.press('Enter');
    await dialog('Create project').waitFor();
    // The page below the dialog keeps its place, and the dialog is in the middle of the window.
    expect(await edgeOf()).toBe(edge);
    const box = await dialog('Create project').boundingBox();
    expect(box && box.x + box.width / 2).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, -1);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toBe('Acme Shop');
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog('Create project').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Create project');
  });

  test('returns to the requested page after sign-in', async ({ product, page, title }) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await title('Sign in').waitFor();
    const wanted = `/projects/${shop.projectId}/users?query=ann`;
    await page.goto(product.url + wanted);
    await title('Sign in').waitFor();
    await signInByPassword(page, { ...owner, password: 'not the password' });
    await page.getByText('Incorrect email or password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Ann Achebe' }).waitFor();
    expect(page.url()).toBe(product.url + wanted);
  });
}
