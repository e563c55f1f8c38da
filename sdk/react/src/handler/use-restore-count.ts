import { useEffect, useState } from 'react';

/** Counts restores from the back/forward cache, after which buttons must be reset. */
export function useRestoreCount(): number {
  const [restores, setCount] = useState(0);
  useEffect(() => {
    const count = ({ persisted }: PageTransitionEvent) => {
      if (persisted) setCount((before) => before + 1);
    };
    addEventListener('pageshow', count);
    return () => removeEventListener('pageshow', count);
  }, []);
  return restores;
}
