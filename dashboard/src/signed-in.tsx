import { createResourceCache, ResourceCacheContext, useResourceCache } from '@gatebook/react';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { GuestFrame } from './components/guest-frame.tsx';
import { OwnerFrame } from './frame.tsx';
import { useApp } from './lib/app.ts';
import { subjectOf, useMoment } from './lib/moment.ts';
import { isGuestAt } from './lib/webhooks-token.ts';

/** The layout of pages that require sign-in, or a token instead. */
export default function Layout() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (!isGuestAt(path)) return <SignedIn />;
  return (
    <GuestFrame>
      <Outlet />
    </GuestFrame>
  );
}

/** Redirects to sign-in when the session ends, here or in another tab. */
function SignedIn() {
  const cache = useResourceCache();
  const { client } = useApp();
  const navigate = useNavigate();
  const [isSignedIn, setSignedIn] = useState(client.session.isSignedIn());
  useEffect(() => client.session.subscribe(() => setSignedIn(client.session.isSignedIn())), [client]);
  useEffect(() => {
    if (isSignedIn) return;
    cache.clear();
    void navigate({ href: '/handler/sign-in', reloadDocument: true, replace: true });
  }, [isSignedIn, navigate, cache]);
  const { hasPast } = subjectOf(useLocation({ select: ({ pathname }) => pathname }));
  const { value } = useMoment();
  const moment = hasPast ? value : null;
  // What was read at one moment is not shown at another.
  const shown = useMemo(() => (moment === null ? cache : createResourceCache()), [moment, cache]);
  if (!isSignedIn) return null;
  return (
    <OwnerFrame>
      <ResourceCacheContext value={shown}>
        <Outlet />
      </ResourceCacheContext>
    </OwnerFrame>
  );
}
