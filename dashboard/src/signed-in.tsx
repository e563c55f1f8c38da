import { createResourceCache, ResourceCacheContext, useResourceCache } from '@gatebook/react';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { OwnerFrame } from './frame.tsx';
import { useApp } from './lib/app.ts';
import { subjectOf, useMoment } from './lib/moment.ts';

/** Redirects to sign-in when the session ends, here or in another tab. */
export default function SignedIn() {
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
