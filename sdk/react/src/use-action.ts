import { useCallback, useRef, useState } from 'react';

export type Action<Input extends unknown[]> = {
  run: (...input: Input) => Promise<boolean>;
  isRunning: boolean;
  error: unknown;
  reset: () => void;
};

/** A call that a person starts: one at a time, its failure kept for showing. `run` resolves with whether it succeeded. */
export function useAction<Input extends unknown[]>(call: (...input: Input) => Promise<unknown>): Action<Input> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const latest = useRef(call);
  latest.current = call;
  const busy = useRef(false);
  const run = useCallback(async (...input: Input): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setRunning(true);
    setError(undefined);
    try {
      await latest.current(...input);
      return true;
    } catch (failure) {
      setError(failure ?? new Error('failed without a reason'));
      return false;
    } finally {
      busy.current = false;
      setRunning(false);
    }
  }, []);
  const reset = useCallback(() => setError(undefined), []);
  return { run, isRunning, error, reset };
}
