import { Suspense, useEffect } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { LoadingCard } from '../card.tsx';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProject, useUser } from '../context.ts';
import { latePage } from '../late-page.tsx';

const title = 'Account settings';

const AccountSettings = latePage((pages) => pages.AccountSettings);

/** (protocol, client §14.4) */
export function AccountSettingsPage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const user = useUser();
  const project = useProject();
  const isSignedOut = user.value === null;
  useEffect(() => {
    if (isSignedOut) void app.redirects.to('signIn', { replace: true });
  }, [isSignedOut, app]);
  const loading = <LoadingCard title={t(title)} label={t('Loading')} />;
  const error = user.error ?? project.error;
  // Loaded data stays visible during a refresh, even if it fails.
  if (error !== undefined && !(user.value && project.value)) return <UnknownErrorCard error={error} />;
  if (!user.value || !project.value) return loading;
  return (
    <Suspense fallback={loading}>
      <AccountSettings key={user.value.id} user={user.value} project={project.value} />
    </Suspense>
  );
}
