import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { findPageFaults } from '../../../infra/testing/page-checks.ts';
import { owner, test } from './fixture.ts';

export function testManyProjects(): void {
  test('creates 500 projects by the API', async ({ client }) => {
    await client.admin('internal').project.updateSettings({ quotas: { projectsPerOwner: 1_000 } });
    // Projects of an owner count towards one quota, so too many at once conflict.
    for (let n = 0; n < 500; n += 4) {
      const names = Array.from({ length: 4 }, (_, nth) => `Branch ${String(n + nth).padStart(3, '0')}`);
      await Promise.all(names.map((displayName) => client.projects.create({ displayName })));
    }
  });

  test('500 projects are searched, sorted and paged on 390 px', async ({ product, watch }) => {
    const phone = await watch.open({ colorScheme: 'light', width: 390 });
    await phone.goto(`${product.url}/sign-in`);
    await signInByPassword(phone, owner);
    await phone.getByText('24 projects on this page').waitFor();
    expect(await findPageFaults(phone)).toEqual([]);
    await phone.getByRole('button', { name: 'Next' }).click();
    await phone.waitForURL(/cursor=/);
    await phone.getByRole('heading', { name: 'Branch 030' }).waitFor();
    await phone.getByRole('searchbox', { name: 'Search projects' }).fill('branch 41');
    await phone.getByRole('heading', { name: 'Branch 419' }).waitFor();
    expect(await phone.getByRole('heading', { name: /^Branch/ }).allTextContents()).toEqual(
      Array.from({ length: 10 }, (_, n) => `Branch 41${n}`),
    );
    await phone.getByRole('combobox', { name: 'Sort by' }).selectOption('Newest');
    await phone.waitForURL(/order=newest/);
    await phone.getByRole('heading', { name: 'Branch 410' }).waitFor();
    expect(await findPageFaults(phone)).toEqual([]);
    await phone.close();
  });
}
