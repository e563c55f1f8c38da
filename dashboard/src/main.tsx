import { t } from '@lingui/core/macro';
import './theme/mantine-styles.ts';
import './theme/computed.css';
import './theme/fonts.css';
import './theme/global.css';
import { createBrowserTokenStore, realNetwork } from '@gatebook/js/core';
import { createOwnerClient } from '@gatebook/js/owner-client';
import { ResourceCacheContext } from '@gatebook/react';
import { I18nProvider } from '@lingui/react';
import { DirectionProvider } from '@mantine/core';
import { createBrowserHistory } from '@tanstack/history';
import { createRoot } from 'react-dom/client';
import { EntryPage } from './components/entry-page.tsx';
import { ErrorNote } from './components/states.tsx';
import { type App, AppContext } from './lib/app.ts';
import { loadConfig } from './lib/config.ts';
import { preloadFrame } from './lib/frame-reads.ts';
import { i18n, language } from './lib/language.ts';
import { measureGutter } from './lib/measure-gutter.ts';
import { networkIn } from './lib/network-in.ts';
import { createPageCache } from './lib/page-cache.ts';
import { printLight } from './lib/print-light.ts';
import { returnFocus } from './lib/return-focus.ts';
import { createShownPreviews } from './lib/shown-previews.ts';
import { watchWrites } from './lib/watch-writes.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { createPageInstead, FailedPage } from './page-instead.tsx';
import { preloadOnIntent } from './router/preload-on-intent.ts';
import { createRouter } from './router/router.ts';
import { RouterView } from './router/router-view.tsx';
import { createScrollPositions } from './router/scroll-positions.ts';
import { listRoutes, Root } from './routes.tsx';
import { ThemeProvider } from './theme/theme-provider.tsx';

const container = document.getElementById('root');
if (!container) throw new Error('missing element #root');
const root = createRoot(container);
printLight();
measureGutter();
returnFocus();

async function start(): Promise<void> {
  const config = await loadConfig((url) => fetch(url));
  const writes = watchWrites(networkIn(language, realNetwork));
  const previews = createShownPreviews();
  const client = createOwnerClient({
    // The page and the API share one origin, under whatever hostname the visitor uses.
    baseUrl: location.origin,
    projectId: config.projectId,
    publishableClientKey: config.publishableClientKey,
    tokenStore: createBrowserTokenStore(config.projectId),
    // A page shows after about a second that it is offline, not after 15.
    maxAttempts: 2,
    network: writes.network,
    sendThrough: previews.sendThrough,
  });
  const app: App = { client, config, writes, previews };
  const cache = createPageCache();
  // What the owner changes is in histories at once, instead of being announced as new.
  writes.subscribe(({ projectId }) => void cache.invalidate(['audit', projectId]));
  const router = createRouter({
    routes: listRoutes(app, () => preloadFrame(app, cache, location)),
    history: createBrowserHistory(),
    notFound: NotFoundPage,
    failed: createPageInstead,
    leave: (href) => location.replace(href),
  });
  const positions = createScrollPositions();
  router.start();
  preloadOnIntent(router);
  root.render(
    <I18nProvider i18n={i18n}>
      <DirectionProvider>
        <ThemeProvider>
          <ResourceCacheContext value={cache}>
            <AppContext value={app}>
              <RouterView router={router} positions={positions} fallback={(error) => <FailedPage error={error} />}>
                <Root />
              </RouterView>
            </AppContext>
          </ResourceCacheContext>
        </ThemeProvider>
      </DirectionProvider>
    </I18nProvider>,
  );
}

start().catch((error: unknown) => {
  root.render(
    <I18nProvider i18n={i18n}>
      <ThemeProvider>
        <EntryPage title={t`The dashboard could not be loaded`}>
          <ErrorNote error={error} onRetry={async () => location.reload()} />
        </EntryPage>
      </ThemeProvider>
    </I18nProvider>,
  );
});
