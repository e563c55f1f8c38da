/*
 * Paths of the pages that browsers open. The server has to know them to answer every other path with 404. A test
 * compares both lists with the routers of the pages (infra/checks/page-paths.test.ts).
 */

export const dashboardPaths = [
  '/',
  '/sign-in',
  '/sign-up',
  '/setup',
  '/project-invitation',
  '/projects',
  '/deleted-projects',
  '/projects/:project_id',
  '/projects/:project_id/get-started',
  '/projects/:project_id/import',
  '/projects/:project_id/users',
  '/projects/:project_id/deleted-users',
  '/projects/:project_id/users/:user_id',
  '/projects/:project_id/deleted-teams',
  '/projects/:project_id/teams',
  '/projects/:project_id/teams/:team_id',
  '/projects/:project_id/permissions',
  '/projects/:project_id/audit-log',
  '/projects/:project_id/events',
  '/projects/:project_id/rejections/:request_id',
  '/projects/:project_id/objects/:object_type/:object_id',
  '/projects/:project_id/emails',
  '/projects/:project_id/emails/:email_type',
  '/projects/:project_id/members',
  '/projects/:project_id/keys',
  '/projects/:project_id/settings',
  '/projects/:project_id/settings/general',
  '/projects/:project_id/settings/sign-in-methods',
  '/projects/:project_id/settings/providers',
  '/projects/:project_id/settings/domains',
  '/projects/:project_id/settings/email',
  '/projects/:project_id/settings/security',
  '/projects/:project_id/settings/keys',
  '/projects/:project_id/settings/danger-zone',
  '/projects/:project_id/domains',
  '/projects/:project_id/webhooks',
  '/projects/:project_id/webhooks/:endpoint_id',
  '/projects/:project_id/webhooks/:endpoint_id/deliveries/:delivery_id',
  '/operations',
] as const;

/** Below `/handler/`. */
export const handlerPages = [
  'sign-in',
  'sign-up',
  'sign-out',
  'email-verification',
  'password-reset',
  'forgot-password',
  'oauth-callback',
  'magic-link-callback',
  'team-invitation',
  'account-settings',
  'cli-auth-confirm',
  'impersonation',
  'mfa',
  'onboarding',
  'report-activity',
  'unsubscribe',
  'error',
] as const;

/** Other spellings, which the handler redirects (protocol, client §3.1). */
const handlerAliases = ['login', 'register', ...handlerPages.map((page) => page.replaceAll('-', ''))];

const handlerPaths: ReadonlySet<string> = new Set(
  [...handlerPages, ...handlerAliases].map((page) => `/handler/${page}`),
);
const dashboardForms = dashboardPaths.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));

export type Page = { file: 'index.html' | 'handler.html'; status: 200 | 404 };

/**
 * The page at a path without query; null if the path belongs to no page. Unknown paths below `/projects/` and
 * `/handler/` get the page too, which says that nothing is there, with status 404.
 */
export function pageAt(path: string): Page | null {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (/^\/handler(\/|$)/.test(bare)) return { file: 'handler.html', status: handlerPaths.has(bare) ? 200 : 404 };
  if (dashboardForms.some((form) => form.test(bare))) return { file: 'index.html', status: 200 };
  return bare.startsWith('/projects/') ? { file: 'index.html', status: 404 } : null;
}
