import { useMemo } from 'react';
import type { App } from './lib/app.ts';
import { hasMoment, hrefAt, MomentContext, momentOf, projectOf } from './lib/moment.ts';
import { NavigationContext } from './lib/navigation.ts';
import { isGuestAt, keepWebhooksToken } from './lib/webhooks-token.ts';
import type { settingsRoutes } from './pages/project-settings.tsx';
import type { Location, Route } from './router/router.ts';
import { Outlet, useLocation, useRouter } from './router/router-view.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';

type Load = () => Promise<{ default: React.ComponentType }>;

const publicPage = (path: string, load: Load): Route => ({ path, page: async () => (await load()).default });

/** An old path. */
const moved = (path: string, redirect: NonNullable<Route['redirect']>): Route => ({ path, page: null, redirect });

/** All paths of the dashboard. Each page is loaded when it is first opened. `preload`: what the frame shows. */
export function listRoutes({ client }: Pick<App, 'client'>, preload = (): void => {}): readonly Route[] {
  const ownerPage = (path: string, load: Load): Route => ({
    ...publicPage(path, load),
    layout: async () => {
      preload();
      return (await import('./signed-in.tsx')).default;
    },
    redirect: (location) => {
      // The token leaves the address bar.
      if (keepWebhooksToken(location)) return { href: location.pathname };
      return client.session.isSignedIn() || isGuestAt(location.pathname) ? null : signInAt(location);
    },
  });
  const settingsPage = (page: keyof typeof settingsRoutes): Route =>
    ownerPage(`/projects/$projectId/settings/${page}`, async () => ({
      default: (await import('./pages/project-settings.tsx')).settingsRoutes[page],
    }));
  /** An old path of a page that is now a handler page. */
  const movedPage = (path: string, to: string): Route =>
    moved(path, (location) => ({ href: to + searchOf(location), isOutside: true }));
  /** An old path of a page of a project. */
  const movedProjectPage = (path: string, to: string): Route =>
    moved(`/projects/$projectId/${path}`, (location, { projectId }) => ({
      href: `/projects/${projectId}/${to}${searchOf(location)}`,
    }));
  return [
    moved('/', () => ({ href: '/projects' })),
    movedPage('/sign-in', '/handler/sign-in'),
    movedPage('/sign-up', '/handler/sign-up'),
    publicPage('/setup', () => import('./pages/setup.tsx')),
    publicPage('/project-invitation', () => import('./pages/project-invitation.tsx')),
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
  ];
}

/** Sign-in happens on the handler pages, outside of this router. */
const signInAt = ({ href }: Location) => ({
  href: `/handler/sign-in?${new URLSearchParams({ after_auth_return_to: href })}`,
  isOutside: true,
});

function searchOf({ search }: Location): string {
  const text = new URLSearchParams(search).toString();
  return text === '' ? '' : `?${text}`;
}

/** Provides navigation by URL, and the moment that pages show. */
export function Root() {
  const { go } = useRouter();
  const { href: here, search } = useLocation();
  const value = momentOf(search);
  const moment = useMemo(() => ({ value, set: (next: string | null) => go(hrefAt(here, next)) }), [go, here, value]);
  const project = projectOf(here);
  const navigation = useMemo(() => {
    // Links within the project keep its moment, unless they lead to another one.
    const keepsMoment = (href: string) => value !== null && projectOf(href) === project && !hasMoment(href);
    const hrefOf = (href: string) => (keepsMoment(href) ? hrefAt(href, value) : href);
    const goTo: typeof go = (href, options) => go(hrefOf(href), options);
    return { hrefOf, go: goTo };
  }, [go, value, project]);
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
