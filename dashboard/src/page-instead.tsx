import { ConnectionError } from '@gatebook/js/errors';
import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { Page } from './components/page.tsx';
import { ErrorNote } from './components/states.tsx';
import { useTitle } from './lib/use-title.ts';

const connectionError = new ConnectionError(true, { isOnline: false }, null);
const RELOADED = 'gatebook-reloaded';

/**
 * The page instead of one whose code could not be loaded. With a network, a new release may have replaced the code: the
 * document is loaded again, but not twice at the same URL.
 */
export function createPageInstead(error: unknown): React.ComponentType | null {
  if (!navigator.onLine) return OfflinePage;
  if (sessionStorage.getItem(RELOADED) === location.href) return () => <FailedPage error={error} />;
  sessionStorage.setItem(RELOADED, location.href);
  location.reload();
  return null;
}

/** It loads the page as soon as there is a network. */
function OfflinePage() {
  useTitle(t`Offline`);
  useEffect(() => {
    const reload = () => location.reload();
    if (navigator.onLine) reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, []);
  return (
    <Page title={t`Offline`}>
      <ErrorNote error={connectionError} />
    </Page>
  );
}

export function FailedPage({ error }: { error: unknown }) {
  useTitle(t`Something went wrong`);
  return (
    <Page title={t`Something went wrong`}>
      <ErrorNote error={error} onRetry={async () => location.reload()} />
    </Page>
  );
}
