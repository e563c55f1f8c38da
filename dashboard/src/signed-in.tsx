import { createResourceCache, ResourceCacheContext, useResourceCache } from '@gatebook/react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { GuestFrame } from './components/guest-frame.tsx';
import { OwnerFrame } from './frame.tsx';
import { useApp } from './lib/app.ts';
import { subjectOf, useMoment } from './lib/moment.ts';
import { isGuestAt } from './lib/webhooks-token.ts';
import { useLocation } from './router/router-view.tsx';

/** The layout of pages that require sign-in, or a token instead. */
export default function Layout({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return isGuestAt(pathname) ? <GuestFrame>{children}</GuestFrame> : <SignedIn>{children}</SignedIn>;
}

/** Redirects to sign-in when the session ends, here or in another tab. */
function SignedIn({ children }: { children: ReactNode }) {
  const cache = useResourceCache();
  const { client } = useApp();
  const [isSignedIn, setSignedIn] = useState(client.session.isSignedIn());
  useEffect(() => client.session.subscribe(() => setSignedIn(client.session.isSignedIn())), [client]);
  useEffect(() => {
    if (isSignedIn) return;
    cache.clear();
    location.replace('/handler/sign-in');
  }, [isSignedIn, cache]);
  const { hasPast } = subjectOf(useLocation().pathname);
  const { value } = useMoment();
  const moment = hasPast ? value : null;
  // What was read at one moment is not shown at another.
  const shown = useMemo(() => (moment === null ? cache : createResourceCache({ fetchesAhead: true })), [moment, cache]);
  if (!isSignedIn) return null;
  return (
    <OwnerFrame>
      <ResourceCacheContext value={shown}>{children}</ResourceCacheContext>
    </OwnerFrame>
  );
}
