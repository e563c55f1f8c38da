import type { Page } from 'playwright-core';
import type { Filled } from './fill.ts';

const settingsPages = [
  'general',
  'sign-in-methods',
  'providers',
  'domains',
  'email',
  'security',
  'keys',
  'danger-zone',
];

/** The pages of the dashboard by name: those of a project with data, and of one without. */
export function dashboardPages(filled: Omit<Filled, 'owner'>): Readonly<Record<string, string>> {
  const { projectId, emptyProjectId, userId, teamId, endpointId } = filled;
  const [home, empty] = [`/projects/${projectId}`, `/projects/${emptyProjectId}`];
  return {
    projects: '/projects',
    'deleted-projects': '/deleted-projects',
    overview: home,
    'overview-compared': `${home}?range=7d&by=device&compare=yes`,
    users: `${home}/users`,
    'users-not-found': `${home}/users?query=nobody-at-all`,
    user: `${home}/users/${userId}`,
    'deleted-users': `${home}/deleted-users`,
    teams: `${home}/teams`,
    team: `${home}/teams/${teamId}`,
    'deleted-teams': `${home}/deleted-teams`,
    permissions: `${home}/permissions`,
    'audit-log': `${home}/audit-log`,
    events: `${home}/events`,
    'event-types': `${home}/events?tab=types`,
    webhooks: `${home}/webhooks`,
    'webhook-endpoint': `${home}/webhooks/${endpointId}`,
    past: `${home}/users/${userId}?as_of=${Date.now()}`,
    emails: `${home}/emails`,
    'email-template': `${home}/emails/magic_link`,
    'email-template-german': `${home}/emails/magic_link?language=de-DE`,
    members: `${home}/members`,
    ...Object.fromEntries(settingsPages.map((page) => [`settings-${page}`, `${home}/settings/${page}`])),
    'new-key': `${home}/settings/keys?new=1`,
    operations: '/operations',
    'get-started': `${empty}/get-started`,
    import: `${empty}/import`,
    'no-users': empty,
    'no-teams': `${empty}/teams`,
    'no-permissions': `${empty}/permissions`,
    'no-events': `${empty}/events`,
    'no-webhooks': `${empty}/webhooks`,
    'no-emails': `${empty}/emails`,
    'no-keys': `${empty}/settings/keys`,
  };
}

/** Opens a page and waits until it is loaded. @throws Error when it does not exist or shows an error */
export async function openDashboardPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
  const title = await page.getByRole('heading', { level: 1 }).textContent();
  const errors = await page.getByRole('alert').allInnerTexts();
  const shown = [...(title?.endsWith('not found') ? [title] : []), ...errors.filter((text) => text !== '')];
  if (shown.length > 0) throw new Error(`${url} shows: ${shown.join(', ')}`);
}
