// @vitest-environment happy-dom

import { createMemoryHistory } from '@tanstack/history';
import { act, cleanup, render, screen } from '@testing-library/react';
import { type ComponentType, useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { createRouter, type Route } from './router.ts';
import { Outlet, RouterView, useLocation, useNextPath, useParams } from './router-view.tsx';

afterEach(cleanup);

/** A page whose code is loaded when it says so. */
function slow(Page: ComponentType) {
  const { promise, resolve, reject } = Promise.withResolvers<ComponentType>();
  return {
    page: vi.fn(() => promise),
    finish: () => act(async () => resolve(Page)),
    fail: () => act(async () => reject(new Error('gone'))),
  };
}

let mounts = 0;
function User() {
  const [mount] = useState(() => ++mounts);
  const { search } = useLocation();
  return <p>{`user ${useParams().userId}, ${search.tab ?? 'no tab'}, mount ${mount}`}</p>;
}

async function open(href: string, routes: readonly Route[] = []) {
  const leave = vi.fn();
  const apply = vi.fn(() => () => {});
  const router = createRouter({
    routes: [
      { path: '/', page: null, redirect: () => ({ href: '/home?from=root' }) },
      { path: '/home', page: async () => () => <h1>Home</h1> },
      { path: '/users/$userId', page: async () => User },
      {
        path: '/broken',
        page: async () => () => {
          throw new Error('a fault of the page');
        },
      },
      { path: '/old/$userId', page: null, redirect: (_, { userId }) => ({ href: `/users/${userId}` }) },
      { path: '/account', page: null, redirect: () => ({ href: '/handler/account', isOutside: true }) },
      ...routes,
    ],
    history: createMemoryHistory({ initialEntries: [href] }),
    notFound: () => <h1>Not found</h1>,
    failed: () => () => <h1>Failed</h1>,
    leave,
  });
  router.start();
  const NextPath = () => <p>{`next: ${useNextPath()}`}</p>;
  await act(async () => {
    render(
      <RouterView router={router} positions={{ keep: () => {}, apply }} fallback={(error) => <h1>{String(error)}</h1>}>
        <NextPath />
        <Outlet />
      </RouterView>,
    );
  });
  const go = (to: string, options?: { replace?: boolean }) => act(async () => router.go(to, options));
  const back = () => act(async () => router.history.back());
  const title = () => screen.queryByRole('heading')?.textContent;
  const scrolls = () => (apply.mock.calls as unknown as [{ scrolls: string }][]).at(-1)?.[0].scrolls;
  return { router, go, back, title, leave, scrolls };
}

test('shows the last page until the next one is loaded', async () => {
  const team = slow(() => <h1>Team</h1>);
  const { go, title } = await open('/home', [{ path: '/team', ...team }]);
  await go('/team');
  expect(title()).toBe('Home');
  expect(screen.getByText('next: /team')).toBeTruthy();
  await team.finish();
  expect(title()).toBe('Team');
});

test('a page that is loaded too late is not shown', async () => {
  const team = slow(() => <h1>Team</h1>);
  const { go, title } = await open('/home', [{ path: '/team', ...team }]);
  await go('/team');
  await go('/home?again=1');
  await team.finish();
  expect(title()).toBe('Home');
});

test('redirects within its pages, and to others', async () => {
  const { router, go, leave } = await open('/');
  expect(router.history.location.href).toBe('/home?from=root');
  await go('/old/ann%20b');
  expect(router.history.location.href).toBe('/users/ann b');
  await go('/account');
  expect(leave).toHaveBeenCalledWith('/handler/account');
});

test('a change of the query or a parameter keeps the page mounted', async () => {
  mounts = 0;
  const { go } = await open('/users/ann');
  await go('/users/ann?tab=keys');
  await go('/users/bo?tab=keys');
  expect(screen.getByText('user bo, keys, mount 1')).toBeTruthy();
});

test('shows a page for paths that it does not know, and for malformed ones', async () => {
  const { go, title } = await open('/nowhere');
  expect(title()).toBe('Not found');
  await go('/home');
  await go('/users/%');
  expect(title()).toBe('Not found');
  await go('/home/');
  expect(title()).toBe('Home');
});

test('shows why a page cannot be loaded or fails, and the next one after it', async () => {
  const team = slow(() => <h1>Team</h1>);
  const { go, title } = await open('/home', [{ path: '/team', ...team }]);
  await go('/team');
  await team.fail();
  expect(title()).toBe('Failed');
  const silenced = vi.spyOn(console, 'error').mockImplementation(() => {});
  await go('/broken');
  silenced.mockRestore();
  expect(title()).toBe('Error: a fault of the page');
  await go('/home');
  expect(title()).toBe('Home');
});

test('goes to the top of a new page, back to the place of an old one, and stays where a link replaces the query', async () => {
  const { router, go, back, scrolls } = await open('/home');
  await go('/users/ann');
  expect(scrolls()).toBe('to-top');
  await go('/users/ann?tab=keys', { replace: true });
  expect(scrolls()).toBe('not');
  await back();
  expect(router.history.location.href).toBe('/home');
  expect(scrolls()).toBe('back');
});

test('loads a page before it is opened, once', async () => {
  const team = slow(() => <h1>Team</h1>);
  const { router, go, title } = await open('/home', [{ path: '/team', ...team }]);
  router.preload('/team');
  await team.finish();
  await go('/team');
  expect(title()).toBe('Team');
  expect(team.page).toHaveBeenCalledOnce();
});
