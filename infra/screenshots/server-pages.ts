import type { PageWindow } from './dashboard-dialogs.ts';

/** Pages that the server writes itself. */
export const serverPages: Readonly<Record<string, PageWindow>> = {
  inbox: { path: '/inbox' },
  'inbox-email': {
    path: '/inbox',
    act: async (page) => {
      await page.locator('main li a').first().click();
      await page.getByTitle('Email as HTML').waitFor();
    },
  },
  'api-reference': { path: '/docs' },
  'api-reference-operation': {
    path: '/docs',
    act: async (page) => {
      await page.getByLabel('Filter').fill('team-invitations');
      await page.locator('article:visible').first().getByText('Try it').click();
    },
  },
};
