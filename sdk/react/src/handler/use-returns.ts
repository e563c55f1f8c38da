import { useEffect, useState } from 'react';

/** Counts how often the browser has brought the page back as it was left, which needs its buttons anew. */
export function useReturns(): number {
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    const count = ({ persisted }: PageTransitionEvent) => {
      if (persisted) setReturns((before) => before + 1);
    };
    addEventListener('pageshow', count);
    return () => removeEventListener('pageshow', count);
  }, []);
  return returns;
}
