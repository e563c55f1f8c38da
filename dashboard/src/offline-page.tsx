import { ConnectionError } from '@gatebook/js/errors';
import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { Page } from './components/page.tsx';
import { ErrorNote } from './components/states.tsx';
import { useTitle } from './lib/use-title.ts';

const error = new ConnectionError(true, { isOnline: false }, null);

/** Instead of a page whose code could not be loaded. It loads the page as soon as there is a network. */
export function OfflinePage() {
  useTitle(t`Offline`);
  useEffect(() => {
    const reload = () => location.reload();
    if (navigator.onLine) reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, []);
  return (
    <Page title={t`Offline`}>
      <ErrorNote error={error} />
    </Page>
  );
}
