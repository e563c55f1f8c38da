// @vitest-environment happy-dom

import type { OwnerClient } from '@gatebook/js/owner-client';
import { ResourceCacheContext } from '@gatebook/react';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { createMemoryHistory } from '@tanstack/history';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { type App, AppContext } from './lib/app.ts';
import { preloadFrame } from './lib/frame-reads.ts';
import { i18n } from './lib/language.ts';
import { createPageCache } from './lib/page-cache.ts';
import { forgetWebhooksToken, keepWebhooksToken } from './lib/webhooks-token.ts';
import { useProject } from './pages/use-project.ts';
import { createRouter } from './router/router.ts';
import { RouterView } from './router/router-view.tsx';
import { Root } from './routes.tsx';
import { noAudit, noChanges, noUserBatches } from './testing/clients.ts';
import { sampleOverview, sampleProject, sampleUser } from './testing/samples.ts';
import { theme } from './theme/theme.ts';

afterEach(cleanup);

/** An app that answers what the frame reads, and the names of what was read. */
function createApp({ isSignedIn = true } = {}): { app: App; reads: string[] } {
  const reads: string[] = [];
  const read = (name: string, value: unknown) => async () => {
    reads.push(name);
    return value;
  };
  const admin = {
    ...{ projectId: 'p1', changes: noChanges, audit: noAudit },
    project: { find: read('project', sampleProject()) },
    userBatches: { ...noUserBatches, list: read('batches', []) },
  };
  const client = {
    session: { isSignedIn: () => isSignedIn, subscribe: () => () => {} },
    me: { find: read('me', sampleUser()) },
    projects: {
      search: ({ id = '' }) => read(`role in ${id}`, { items: [sampleOverview({ id })], nextCursor: null })(),
    },
    admin: () => admin,
  };
  const config = { apiUrl: '', projectId: 'internal', publishableClientKey: '', version: '' };
  const app: App = {
    client: client as unknown as OwnerClient,
    config: { ...config, isSetupRequired: false, hasInbox: false },
    writes: { subscribe: () => () => {}, ignoreDuring: (work) => work() },
    previews: { show: () => () => {} },
  };
  return { app, reads };
}

const ofProject = ['me', 'role in internal', 'role in p1', 'batches', 'project'];

test('what is preloaded is what the frame reads, so that it is read once', async () => {
  const { app, reads } = createApp();
  const cache = createPageCache();
  const Page = () => <h1>{useProject().project.value?.displayName}</h1>;
  const router = createRouter({
    routes: [
      {
        path: '/projects/$projectId',
        page: async () => Page,
        layout: async () => {
          preloadFrame(app, cache, { pathname: '/projects/p1', search: '' });
          expect(reads).toEqual(ofProject);
          return (await import('./signed-in.tsx')).default;
        },
      },
    ],
    history: createMemoryHistory({ initialEntries: ['/projects/p1'] }),
    notFound: () => null,
    failed: (error) => {
      throw error;
    },
    leave: () => {},
  });
  router.start();
  render(
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} env="test">
        <ResourceCacheContext value={cache}>
          <AppContext value={app}>
            <RouterView router={router} positions={{ keep: () => {}, apply: () => () => {} }} fallback={String}>
              <Root />
            </RouterView>
          </AppContext>
        </ResourceCacheContext>
      </MantineProvider>
    </I18nProvider>,
  );
  expect(await screen.findByRole('heading', { name: 'Acme Shop' })).toBeTruthy();
  expect(reads).toEqual(ofProject);
});

test.for([
  ['a page without a project', '/projects', '', ['me', 'role in internal']],
  ['a page at a moment of the past', '/projects/p1/users', '?as_of=1', ofProject.filter((name) => name !== 'project')],
] as const)('of %s, only what it shows is preloaded', ([, pathname, search, expected]) => {
  const { app, reads } = createApp();
  preloadFrame(app, createPageCache(), { pathname, search });
  expect(reads).toEqual(expected);
});

test('nothing is preloaded without a session, or for a page that a token opens', () => {
  const signedOut = createApp({ isSignedIn: false });
  preloadFrame(signedOut.app, createPageCache(), { pathname: '/projects/p1', search: '' });
  keepWebhooksToken({ pathname: '/projects/p1/webhooks', hash: '#token=t' });
  const signedIn = createApp();
  preloadFrame(signedIn.app, createPageCache(), { pathname: '/projects/p1/webhooks', search: '?status=failed' });
  forgetWebhooksToken('p1');
  expect([...signedOut.reads, ...signedIn.reads]).toEqual([]);
});
