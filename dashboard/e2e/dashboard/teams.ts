import { expect } from 'vitest';
import { shop, test } from './fixture.ts';

export function testTeams(): void {
  test('creates a permission and a team, and grants the permission to a member', async ({
    product,
    page,
    client,
    title,
    region,
    dialog,
    saveChanges,
  }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/permissions`);
    await page.getByRole('button', { name: 'Create team permission' }).click();
    await dialog('Create permission').getByLabel('ID').fill('editor');
    await dialog('Create permission').getByRole('combobox', { name: 'Contains' }).click();
    await page.getByRole('option', { name: 'team_member' }).click();
    await page.keyboard.press('Escape');
    await dialog('Create permission').getByRole('button', { name: 'Create permission' }).click();
    await region('Team permissions').getByText('editor', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Teams' }).click();
    await page.getByRole('button', { name: 'Create team', exact: true }).first().click();
    await dialog('Create team').getByLabel('Name').fill('Editors');
    await dialog('Create team').getByRole('button', { name: 'Create team' }).click();
    await title('Editors').waitFor();
    await region('Members').getByRole('button', { name: 'Add member' }).click();
    await dialog('Add member').getByRole('textbox').fill('achebe');
    await dialog('Add member').getByRole('button', { name: 'Add Ann Achebe' }).click();
    await page.keyboard.press('Escape');
    await region('Members').getByRole('button', { name: 'Permissions of Ann Achebe' }).click();
    const grants = dialog('Permissions of Ann Achebe');
    await grants.getByText('(through team_member)').first().waitFor();
    await grants.locator('label:has([aria-label="Grant editor"])').click();
    await saveChanges('editor: Off → On');
    await expect.poll(() => grants.getByRole('switch', { name: 'Grant editor' }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    shop.teamPath = new URL(page.url()).pathname;
    await region('History').getByText('Granted').first().waitFor();
    await region('History').getByText('Added').first().waitFor();
    expect(
      await region('History')
        .getByRole('button', { name: /^Show .* new event/ })
        .count(),
    ).toBe(0);
    const { permissions, users } = client.admin(shop.projectId);
    const ann = (await users.list({ query: 'achebe', limit: 1 })).items[0]?.id ?? '';
    const granted = await permissions.listGrants({ teamId: shop.teamPath.split('/').at(-1) ?? '', userId: ann });
    expect([...granted].sort()).toEqual(['editor', 'team_member']);
  });

  test('creates a team API key that is shown once, and revokes it', async ({
    product,
    page,
    region,
    dialog,
    saveChanges,
  }) => {
    await page.goto(`${product.url}/projects/${shop.projectId}/settings`);
    await page.getByRole('switch', { name: /^Team API keys/ }).click();
    await saveChanges('Team API keys: Off → On');
    await page.goto(product.url + shop.teamPath);
    const card = region('API keys');
    await card.getByRole('button', { name: 'Create API key' }).click();
    await dialog('Create API key').getByLabel('Name').fill('Deployment');
    await dialog('Create API key').getByRole('button', { name: 'Create API key' }).click();
    const shown = dialog('Save your API key');
    await shown.getByText(/^sk_[0-9a-z]{99}$/).waitFor();
    await shown.getByRole('button', { name: 'Done, I’ve saved it' }).click();
    await card.getByText('Deployment').waitFor();
    await card.getByRole('button', { name: 'Revoke Deployment' }).click();
    await dialog('Revoke this API key?')
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await card.getByText('Revoked').first().waitFor();
  });
}
