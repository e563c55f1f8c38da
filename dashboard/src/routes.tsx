import type { ResourceCache } from '@gatebook/react/resource-cache';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useNavigate,
} from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { OwnerFrame } from './frame.tsx';
import { type App, useApp } from './lib/app.ts';
import { NavigationContext } from './lib/navigation.ts';
import { NotFoundPage } from './not-found-page.tsx';

const home = '/projects';

/** All pages of the dashboard. Pages are loaded when they are first opened. */
export function createDashboardRouter({ client }: App, cache: ResourceCache) {
  const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });
  const at = <Path extends string>(path: Path, load: () => Promise<{ default: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load) });

  /** A page that is not the dashboard's own any more. */
  const elsewhere = <Path extends string>(path: Path, handlerPage: string) =>
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
      if (client.session.isSignedIn()) return;
      throw signInRedirect(location.href);
    },
    component: () => <SignedIn cache={cache} />,
  });
  const ownerAt = <Path extends string>(path: Path, load: () => Promise<{ default: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => ownerRoute, path, component: lazyRouteComponent(load) });

  const indexRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: home as never });
    },
  });
  const routeTree = rootRoute.addChildren([
    indexRoute,
    elsewhere('/sign-in', '/handler/sign-in'),
    elsewhere('/sign-up', '/handler/sign-up'),
    at('/setup', () => import('./pages/setup.tsx')),
    ownerRoute.addChildren([
      ownerAt('/projects', () => import('./pages/projects.tsx')),
      ownerAt('/projects/$projectId', () => import('./pages/overview.tsx')),
      ownerAt('/projects/$projectId/users', () => import('./pages/users.tsx')),
      ownerAt('/projects/$projectId/users/$userId', () => import('./pages/user.tsx')),
      ownerAt('/projects/$projectId/teams', () => import('./pages/teams.tsx')),
      ownerAt('/projects/$projectId/teams/$teamId', () => import('./pages/team.tsx')),
      ownerAt('/projects/$projectId/permissions', () => import('./pages/permissions.tsx')),
      ownerAt('/projects/$projectId/emails', () => import('./pages/emails.tsx')),
      ownerAt('/projects/$projectId/keys', () => import('./pages/project-keys.tsx')),
      ownerAt('/projects/$projectId/settings', () => import('./pages/project-settings.tsx')),
      // Production-mode faults link here (protocol, projects §5).
      ownerAt('/projects/$projectId/domains', () => import('./pages/project-settings.tsx')),
      ownerAt('/operations', () => import('./pages/operations.tsx')),
    ]),
  ]);
  return createRouter({ routeTree, defaultPreload: 'intent', defaultPendingMinMs: 0, parseSearch, stringifySearch });
}

/** Signing in has pages of its own, beside the dashboard's. */
function signInRedirect(back: string) {
  const search = new URLSearchParams({ after_auth_return_to: back });
  return redirect({ href: `/handler/sign-in?${search}`, reloadDocument: true, replace: true });
}

/** Texts as they are: the router's own way would quote numbers and read ids as numbers. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const text = new URLSearchParams(entries).toString();
  return text === '' ? '' : `?${text}`;
}

/** Pages move by addresses alone. */
function Root() {
  const navigate = useNavigate();
  const navigation = useMemo(
    () => ({ go: (href: string, { replace = false } = {}) => void navigate({ href, replace }) }),
    [navigate],
  );
  return (
    <NavigationContext value={navigation}>
      <Outlet />
    </NavigationContext>
  );
}

/** A session that ends, here or in another tab, leads to the sign-in page. */
function SignedIn({ cache }: { cache: ResourceCache }) {
  const { client } = useApp();
  const navigate = useNavigate();
  const [isSignedIn, setSignedIn] = useState(client.session.isSignedIn());
  useEffect(() => client.session.subscribe(() => setSignedIn(client.session.isSignedIn())), [client]);
  useEffect(() => {
    if (isSignedIn) return;
    cache.clear();
    void navigate({ href: '/handler/sign-in', reloadDocument: true, replace: true });
  }, [isSignedIn, navigate, cache]);
  if (!isSignedIn) return null;
  return (
    <OwnerFrame>
      <Outlet />
    </OwnerFrame>
  );
}
