import '@gatebook/react/styles.css';
import './handler.css';
import { createBrowserTokenStore, createClientApp, errorText } from '@gatebook/js/core';
import { HandlerPages, navigateWithin } from '@gatebook/react/handler-pages';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Brand, Gate } from './handler/mark.tsx';
import { SetupNotice } from './handler/setup-notice.tsx';
import { isMember, Trial } from './handler/trial.tsx';
import { loadConfig } from './lib/config.ts';

const container = document.getElementById('root');
if (!container) throw new Error('missing element #root');
const root = createRoot(container);
/** Show "server is busy" after a few seconds instead of keeping the user waiting at a form. */
const longestWaitMs = 3_000;

async function start(): Promise<void> {
  const config = await loadConfig((url) => fetch(url));
  if (config.isSetupRequired) {
    document.title = 'Create the owner account · Gatebook';
    root.render(<SetupNotice origin={location.origin} />);
    return;
  }
  const app = createClientApp({
    // The page and the API share one origin, under whatever hostname the visitor uses.
    baseUrl: location.origin,
    projectId: config.projectId,
    publishableClientKey: config.publishableClientKey,
    tokenStore: createBrowserTokenStore(config.projectId),
    redirectMethod: { navigate: navigateWithin('/handler') },
    urls: { home: '/', afterSignIn: '/projects', afterSignOut: '/handler/sign-in' },
    longestWaitMs,
  });
  const projectId = new URLSearchParams(location.search).get('project_id');
  if (projectId !== null) {
    if (await isMember(app.session, projectId)) {
      root.render(<Trial projectId={projectId} origin={location.origin} longestWaitMs={longestWaitMs} />);
    } else {
      root.render(
        <Problem title="You can’t try this sign-in">
          Only members of the project can. <a href="/projects">Sign in to the dashboard</a>, then open the page again.
        </Problem>,
      );
    }
    return;
  }
  root.render(<HandlerPages app={app} productName="Gatebook" brand={<Brand />} backdrop={<Gate />} />);
}

function Problem({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="gbh" data-full-page="true">
      <main className="gbh-main">
        <section className="gbh-card">
          <h1 className="gbh-title">{title}</h1>
          <p className="gbh-lead" role="alert">
            {children}
          </p>
        </section>
      </main>
    </div>
  );
}

start().catch((error: unknown) => {
  root.render(<Problem title="Sign-in is unavailable right now">{errorText(error)}</Problem>);
});
