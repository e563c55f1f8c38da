import { findImpersonation, type Impersonation } from '@gatebook/js/core';
import { useEffect, useState } from 'react';
import type { HandlerApp } from './context.ts';

/** The impersonation of the current session; null for the user's own session, and until it is known. */
export function useImpersonation({ session }: Pick<HandlerApp, 'session'>): Impersonation | null {
  const [found, setFound] = useState<Impersonation | null>(null);
  useEffect(() => {
    const read = () => void findImpersonation(session).then(setFound, () => {});
    read();
    return session.subscribe(read);
  }, [session]);
  return found;
}
