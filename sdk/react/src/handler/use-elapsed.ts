import { useEffect, useState } from 'react';

/** Whether `ms` have elapsed since `since` last changed. */
export function useElapsed(ms: number, since: string): boolean {
  const [elapsed, setElapsed] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(since), ms);
    return () => clearTimeout(timer);
  }, [ms, since]);
  return elapsed === since;
}
