import type { AdminClient } from '@gatebook/js/owner-client';
import type { Page } from 'playwright-core';
import { dashboardPages } from './dashboard-pages.ts';
import type { Filled } from './fill.ts';

/** A window of a page after what a person does in it. */
export type PageWindow = { path: string; act?: (page: Page) => Promise<void> };

const duplicateName = 'Liam B. (old account)';

/** A second account of the user whose page is shown, with something of each kind. */
export async function createDuplicate(admin: AdminClient, { teamId }: Pick<Filled, 'teamId'>): Promise<void> {
  const duplicate = await admin.users.create({
    displayName: duplicateName,
    primaryEmail: 'liam.byrne.the.second@a-rather-long-company-name.example',
    password: 'correct horse',
    clientMetadata: { size: 'L', theme: 'dark', a_key_that_is_longer_than_the_others: true },
  });
  for (const displayName of ['Night shift', 'Suppliers of the northern harbor and its surroundings']) {
    const { id } = await admin.teams.create({ displayName });
    await admin.teams.addMember(id, duplicate.id);
    await admin.permissions.grant({ teamId: id, userId: duplicate.id }, 'manage_orders');
  }
  await admin.teams.addMember(teamId, duplicate.id);
  await admin.permissions.grant({ teamId: null, userId: duplicate.id }, 'early_access');
  await admin.apiKeys.create({ type: 'user', id: duplicate.id }, { description: 'CI', expiresAt: null });
  await admin.contactChannels.create(duplicate.id, { value: 'liam@private.example', usedForAuth: false });
}

async function openMerge(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Merge with another user' }).click();
  await page.getByRole('dialog').getByLabel('Search users').fill('Liam B');
  await page.getByRole('button', { name: `Choose ${duplicateName}` }).waitFor();
}

async function chooseDuplicate(page: Page): Promise<void> {
  await openMerge(page);
  await page.getByRole('button', { name: `Choose ${duplicateName}` }).click();
  await page.getByRole('region', { name: 'Moves' }).waitFor();
}

async function rejectMerge(page: Page): Promise<void> {
  await chooseDuplicate(page);
  await page.route('**/internal/users/*/merge', (route) => route.abort());
  await page.getByRole('button', { name: 'Merge users' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.unroute('**/internal/users/*/merge');
}

/** Dialogs by name. Needs the duplicate. */
export function dashboardDialogs(filled: Omit<Filled, 'owner'>): Readonly<Record<string, PageWindow>> {
  const { user = '' } = dashboardPages(filled);
  return {
    'merge-search': { path: user, act: openMerge },
    'merge-preview': { path: user, act: chooseDuplicate },
    'merge-error': { path: user, act: rejectMerge },
  };
}
