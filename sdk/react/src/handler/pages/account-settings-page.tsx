import { lazy, Suspense, useEffect } from 'react';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProject, useUser } from '../context.ts';
import { LoadingCard } from '../frame.tsx';

const title = 'Your account';

/** Loaded by those who open it: the pages of signing in stay small. */
const AccountSettings = lazy(() =>
  import('../account/account-settings.tsx').then(
    ({ AccountSettings: settings }) => ({ default: settings }),
    (error: unknown) => ({ default: () => <UnknownErrorCard error={error} /> }),
  ),
);

/** What people may change of themselves (client.md §14.4). */
export function AccountSettingsPage() {
  const { app } = useHandler();
  const user = useUser();
  const project = useProject();
  const isNobody = user.value === null;
  useEffect(() => {
    if (isNobody) void app.redirects.to('signIn', { replace: true });
  }, [isNobody, app]);
  const loading = <LoadingCard title={title} label="Loading" />;
  const error = user.error ?? project.error;
  // What is there stays while it is fetched again, also when that fails.
  if (error !== undefined && !(user.value && project.value)) return <UnknownErrorCard error={error} />;
  if (!user.value || !project.value) return loading;
  return (
    <Suspense fallback={loading}>
      <AccountSettings user={user.value} project={project.value} />
    </Suspense>
  );
}
