import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useLocation,
  useNavigate,
} from '@tanstack/react-router';
import { useMemo } from 'react';
import type { App } from './lib/app.ts';
import { hasMoment, hrefAt, MomentContext, momentOf, projectOf } from './lib/moment.ts';
import { NavigationContext } from './lib/navigation.ts';
import { isGuestAt, keepWebhooksToken } from './lib/webhooks-token.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { OfflinePage } from './offline-page.tsx';
import type { settingsRoutes } from './pages/project-settings.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';

const home = '/projects';

/** All pages of the dashboard, each loaded when it is first opened. */
export function createDashboardRouter({ client }: App) {
  const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });
  const publicPage = <Path extends string>(path: Path, load: () => Promise<{ default: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => rootRoute, path, component: lazyPage(load) });

  /** An old path of a page that is now a handler page. */
  const movedPage = <Path extends string>(path: Path, handlerPage: string) =>
    createRoute({
      getParentRoute: () => rootRoute,
      path,
      beforeLoad: ({ search }) => {
        throw redirect({ href: `${handlerPage}${stringifySearch(search)}`, reloadDocument: true, replace: true });
      },
    });

  const ownerRoute = createRoute({
    getParentRoute: () => rootRoute,
    id: 'owner',
    beforeLoad: ({ location }) => {
      // The token leaves the address bar.
      if (keepWebhooksToken(location)) throw redirect({ href: location.pathname, replace: true });
      if (client.session.isSignedIn() || isGuestAt(location.pathname)) return;
      throw signInRedirect(location.href);
    },
    component: lazyRouteComponent(() => import('./signed-in.tsx')),
  });
  const ownerPage = <Path extends string>(path: Path, load: () => Promise<{ default: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => ownerRoute, path, component: lazyPage(load) });

  const settingsPage = <Page extends keyof typeof settingsRoutes>(page: Page) =>
    ownerPage(`/projects/$projectId/settings/${page}`, async () => ({
      default: (await import('./pages/project-settings.tsx')).settingsRoutes[page],
    }));
  /** An old path of a page of a project. */
  const movedProjectPage = <Path extends string>(path: Path, to: string) =>
    createRoute({
      getParentRoute: () => ownerRoute,
      path: `/projects/$projectId/${path}`,
      beforeLoad: ({ params, search }) => {
        const { projectId } = params as { projectId: string };
        throw redirect({ href: `/projects/${projectId}/${to}${stringifySearch(search)}`, replace: true });
      },
    });

  const indexRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: home as never });
    },
  });
  const routeTree = rootRoute.addChildren([
    indexRoute,
    movedPage('/sign-in', '/handler/sign-in'),
    movedPage('/sign-up', '/handler/sign-up'),
    publicPage('/setup', () => import('./pages/setup.tsx')),
    publicPage('/project-invitation', () => import('./pages/project-invitation.tsx')),
    ownerRoute.addChildren([
      ownerPage('/projects', () => import('./pages/projects.tsx')),
      ownerPage('/deleted-projects', () => import('./pages/deleted-projects.tsx')),
      ownerPage('/projects/$projectId', () => import('./pages/overview.tsx')),
      ownerPage('/projects/$projectId/get-started', () => import('./pages/get-started.tsx')),
      ownerPage('/projects/$projectId/import', () => import('./pages/import.tsx')),
      ownerPage('/projects/$projectId/users', () => import('./pages/users.tsx')),
      ownerPage('/projects/$projectId/deleted-users', () => import('./pages/deleted-users.tsx')),
      ownerPage('/projects/$projectId/users/$userId', () => import('./pages/user.tsx')),
      ownerPage('/projects/$projectId/deleted-teams', () => import('./pages/deleted-teams.tsx')),
      ownerPage('/projects/$projectId/teams', () => import('./pages/teams.tsx')),
      ownerPage('/projects/$projectId/teams/$teamId', () => import('./pages/team.tsx')),
      ownerPage('/projects/$projectId/permissions', () => import('./pages/permissions.tsx')),
      ownerPage('/projects/$projectId/audit-log', () => import('./pages/audit-log.tsx')),
      ownerPage('/projects/$projectId/objects/$objectType/$objectId', () => import('./pages/object.tsx')),
      ownerPage('/projects/$projectId/events', () => import('./pages/events.tsx')),
      ownerPage('/projects/$projectId/rejections/$requestId', () => import('./pages/rejection.tsx')),
      ownerPage('/projects/$projectId/emails', () => import('./pages/emails.tsx')),
      ownerPage('/projects/$projectId/emails/$emailType', () => import('./pages/email-template.tsx')),
      ownerPage('/projects/$projectId/members', () => import('./pages/members.tsx')),
      movedProjectPage('settings', 'settings/general'),
      settingsPage('general'),
      settingsPage('sign-in-methods'),
      settingsPage('providers'),
      settingsPage('domains'),
      settingsPage('email'),
      settingsPage('security'),
      ownerPage('/projects/$projectId/settings/keys', () => import('./pages/project-keys.tsx')),
      settingsPage('danger-zone'),
      movedProjectPage('keys', 'settings/keys'),
      // Production-mode issues link here (protocol, projects §5).
      movedProjectPage('domains', 'settings/domains'),
      ownerPage('/projects/$projectId/webhooks', () => import('./pages/webhooks.tsx')),
      ownerPage('/projects/$projectId/webhooks/$endpointId', () => import('./pages/webhook-endpoint.tsx')),
      ownerPage(
        '/projects/$projectId/webhooks/$endpointId/deliveries/$deliveryId',
        () => import('./pages/webhook-delivery.tsx'),
      ),
      ownerPage('/operations', () => import('./pages/operations.tsx')),
    ]),
  ]);
  return createRouter({ routeTree, defaultPreload: 'intent', defaultPendingMinMs: 0, parseSearch, stringifySearch });
}

/** Without a network, the router would reload the document, and the browser would replace it. */
function lazyPage(load: () => Promise<{ default: React.ComponentType }>) {
  return lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      if (navigator.onLine) throw error;
      return { default: OfflinePage };
    }
  });
}

/** Sign-in happens on the handler pages, outside this router. */
function signInRedirect(back: string) {
  const search = new URLSearchParams({ after_auth_return_to: back });
  return redirect({ href: `/handler/sign-in?${search}`, reloadDocument: true, replace: true });
}

/** Plain strings: the router's default would quote numbers and parse IDs as numbers. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const text = new URLSearchParams(entries).toString();
  return text === '' ? '' : `?${text}`;
}

/** Provides navigation by URL, and the moment that pages show. */
function Root() {
  const navigate = useNavigate();
  const { href: here, search } = useLocation();
  const value = momentOf(search);
  const moment = useMemo(
    () => ({ value, set: (next: string | null) => void navigate({ href: hrefAt(here, next) }) }),
    [navigate, here, value],
  );
  const project = projectOf(here);
  const navigation = useMemo(() => {
    // Links within the project keep its moment, unless they lead to another one.
    const keepsMoment = (href: string) => value !== null && projectOf(href) === project && !hasMoment(href);
    const hrefOf = (href: string) => (keepsMoment(href) ? hrefAt(href, value) : href);
    return { hrefOf, go: (href: string, { replace = false } = {}) => void navigate({ href: hrefOf(href), replace }) };
  }, [navigate, value, project]);
  return (
    <MomentContext value={moment}>
      <NavigationContext value={navigation}>
        <UnsavedGuard>
          <Outlet />
        </UnsavedGuard>
      </NavigationContext>
    </MomentContext>
  );
}
