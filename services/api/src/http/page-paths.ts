/*
 * Paths of the pages that browsers open. The server has to know them to answer every other path with 404. A test
 * compares both lists with the routers of the pages (infra/checks/page-paths.test.ts).
 */

/** Their pages in `dashboard/src/pages`; null for paths that lead to another document. */
export const dashboardPages = {
  '/': 'projects',
  '/sign-in': null,
  '/sign-up': null,
  '/setup': 'setup',
  '/project-invitation': 'project-invitation',
  '/projects': 'projects',
  '/deleted-projects': 'deleted-projects',
  '/projects/:project_id': 'overview',
  '/projects/:project_id/get-started': 'get-started',
  '/projects/:project_id/import': 'import',
  '/projects/:project_id/users': 'users',
  '/projects/:project_id/deleted-users': 'deleted-users',
  '/projects/:project_id/users/:user_id': 'user',
  '/projects/:project_id/deleted-teams': 'deleted-teams',
  '/projects/:project_id/teams': 'teams',
  '/projects/:project_id/teams/:team_id': 'team',
  '/projects/:project_id/permissions': 'permissions',
  '/projects/:project_id/audit-log': 'audit-log',
  '/projects/:project_id/events': 'events',
  '/projects/:project_id/rejections/:request_id': 'rejection',
  '/projects/:project_id/objects/:object_type/:object_id': 'object',
  '/projects/:project_id/emails': 'emails',
  '/projects/:project_id/emails/:email_type': 'email-template',
  '/projects/:project_id/members': 'members',
  '/projects/:project_id/keys': 'project-keys',
  '/projects/:project_id/settings': 'project-settings',
  '/projects/:project_id/settings/general': 'project-settings',
  '/projects/:project_id/settings/sign-in-methods': 'project-settings',
  '/projects/:project_id/settings/providers': 'project-settings',
  '/projects/:project_id/settings/domains': 'project-settings',
  '/projects/:project_id/settings/email': 'project-settings',
  '/projects/:project_id/settings/security': 'project-settings',
  '/projects/:project_id/settings/keys': 'project-keys',
  '/projects/:project_id/settings/danger-zone': 'project-settings',
  '/projects/:project_id/domains': 'project-settings',
  '/projects/:project_id/webhooks': 'webhooks',
  '/projects/:project_id/webhooks/:endpoint_id': 'webhook-endpoint',
  '/projects/:project_id/webhooks/:endpoint_id/deliveries/:delivery_id': 'webhook-delivery',
  '/operations': 'operations',
} as const satisfies Readonly<Record<string, string | null>>;

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
const dashboardForms = Object.entries(dashboardPages).map(([path, page]) => ({
  form: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  // The same document for all pages, except that it names the files of one.
  file: page === null ? 'index.html' : `pages/${page}.html`,
}));

/** `file`: in the folder of the built dashboard. */
export type Page = { file: string; status: 200 | 404 };

/**
 * The page at a path without query; null if the path belongs to no page. Unknown paths below `/projects/` and
 * `/handler/` get the page too, which says that nothing is there, with status 404.
 */
export function pageAt(path: string): Page | null {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (/^\/handler(\/|$)/.test(bare)) return { file: 'handler.html', status: handlerPaths.has(bare) ? 200 : 404 };
  const found = dashboardForms.find(({ form }) => form.test(bare));
  if (found) return { file: found.file, status: 200 };
  return bare.startsWith('/projects/') ? { file: 'index.html', status: 404 } : null;
}
