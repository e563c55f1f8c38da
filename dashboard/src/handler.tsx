import '@gatebook/react/handler.css';
import './handler.css';
import { createClientApp } from '@gatebook/js/client-app';
import { errorText } from '@gatebook/js/error-text';
import { createBrowserTokenStore } from '@gatebook/js/token-store/browser';
import { HandlerPages, navigateWithin } from '@gatebook/react/handler';
import { createRoot } from 'react-dom/client';
import { Brand, Gate } from './handler/mark.tsx';
import { loadConfig } from './lib/config.ts';

const container = document.getElementById('root');
if (!container) throw new Error('the page has no element with id root');
const root = createRoot(container);
/** Somebody who waits at a form should rather read that it is full than wait for a minute. */
const longestWaitMs = 3_000;

async function start(): Promise<void> {
  const config = await loadConfig((url) => fetch(url));
  const app = createClientApp({
    // The page and the API share one origin, whatever name the visitor has for it.
    baseUrl: location.origin,
    projectId: config.projectId,
    publishableClientKey: config.publishableClientKey,
    tokenStore: createBrowserTokenStore(config.projectId),
    redirectMethod: { navigate: navigateWithin('/handler') },
    urls: { home: '/', afterSignIn: '/projects', afterSignOut: '/handler/sign-in' },
    longestWaitMs,
  });
  root.render(<HandlerPages app={app} productName="Gatebook" brand={<Brand />} backdrop={<Gate />} />);
}

start().catch((error: unknown) => {
  root.render(
    <div className="gbh" data-full-page="true">
      <main className="gbh-main">
        <section className="gbh-card">
          <h1 className="gbh-title">Signing in is not possible right now</h1>
          <p className="gbh-lead" role="alert">
            {errorText(error)}
          </p>
        </section>
      </main>
    </div>,
  );
});
