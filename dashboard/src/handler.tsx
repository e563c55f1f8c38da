import '@gatebook/react/styles.css';
import './handler.css';
import { createBrowserTokenStore, createClientApp } from '@gatebook/js/core';
import { firstWithTexts, HandlerPages, navigateWithin, TextProvider, useTexts } from '@gatebook/react/handler-pages';
import { type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Brand, Gate } from './handler/mark.tsx';
import { SetupNotice } from './handler/setup-notice.tsx';
import { handlerTextsIn } from './handler/texts.ts';
import { isMember, Trial } from './handler/trial.tsx';
import { loadConfig } from './lib/config.ts';
import { preferredLanguages } from './lib/preferred-languages.ts';

const container = document.getElementById('root');
if (!container) throw new Error('missing element #root');
const root = createRoot(container);
/** Show "server is busy" after a few seconds instead of keeping the user waiting at a form. */
const longestWaitMs = 3_000;
const lang = firstWithTexts(preferredLanguages());
const texts = handlerTextsIn(lang);
document.documentElement.lang = lang;

async function start(): Promise<void> {
  const config = await loadConfig((url) => fetch(url));
  if (config.isSetupRequired) {
    document.title = `${texts.setupTitle} · Gatebook`;
    root.render(<SetupNotice origin={location.origin} texts={texts} />);
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
      root.render(<Trial {...{ projectId, longestWaitMs, lang, texts }} origin={location.origin} />);
    } else {
      root.render(<Problem title={texts.trialTitle}>{texts.trialOfMembers}</Problem>);
    }
    return;
  }
  root.render(<HandlerPages app={app} lang={lang} productName="Gatebook" brand={<Brand />} backdrop={<Gate />} />);
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

function Unavailable({ error }: { error: unknown }) {
  return <Problem title={texts.unavailable}>{useTexts().errorText(error)}</Problem>;
}

start().catch((error: unknown) => {
  root.render(
    <TextProvider lang={lang}>
      <Suspense>
        <Unavailable error={error} />
      </Suspense>
    </TextProvider>,
  );
});
