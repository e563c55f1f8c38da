'use client';

import { type GatebookHandlerProps, GatebookHandler as Pages } from '@gatebook/react/pages';
import { usePathname, useSearchParams } from 'next/navigation';
import { Suspense } from 'react';

export type { GatebookHandlerProps };

/** All pages of Gatebook, for `app/handler/[...gatebook]/page.tsx`. */
export function GatebookHandler(props: GatebookHandlerProps) {
  return (
    <Suspense>
      <CurrentPages {...props} />
    </Suspense>
  );
}

/** The pages read the address of the browser, so they render again when the router has changed it. */
function CurrentPages(props: GatebookHandlerProps) {
  usePathname();
  useSearchParams();
  return <Pages {...props} />;
}
