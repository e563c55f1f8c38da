'use client';

import { clientOfApp } from '@gatebook/js/core';
import { useMemo } from 'react';
import { ImpersonationBanner as Banner } from '../handler/late-page.tsx';
import { useImpersonation } from '../handler/use-impersonation.ts';
import { useGatebookApp } from '../provider.tsx';
import { Inline } from './inline.tsx';

/** Shown on every page of an app while an owner acts for a user: says so, and ends it. Otherwise nothing. */
export function ImpersonationBanner() {
  const app = useGatebookApp();
  const client = useMemo(() => clientOfApp(app), [app]);
  const impersonation = useImpersonation(client);
  if (impersonation === null) return null;
  return (
    <Inline>
      <Banner app={client} impersonation={impersonation} />
    </Inline>
  );
}
