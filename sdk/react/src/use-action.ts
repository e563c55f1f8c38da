import { useCallback, useEffect, useRef, useState } from 'react';

export type Action<Input extends unknown[]> = {
  run: (...input: Input) => Promise<boolean>;
  isRunning: boolean;
  error: unknown;
  reset: () => void;
};

/**
 * Runs a call on user input, one at a time, and keeps its error. `run` resolves to whether it succeeded and the
 * component is still shown: a dialog that was closed meanwhile must not close the next one. A call that shows its
 * failure itself resolves to false.
 */
export function useAction<Input extends unknown[]>(call: (...input: Input) => Promise<unknown>): Action<Input> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const latest = useRef(call);
  latest.current = call;
  const busy = useRef(false);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const run = useCallback(async (...input: Input): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setRunning(true);
    setError(undefined);
    try {
      const result = await latest.current(...input);
      return result !== false && isShown.current;
    } catch (failure) {
      if (isShown.current) setError(failure ?? new Error('Unknown error'));
      return false;
    } finally {
      busy.current = false;
      if (isShown.current) setRunning(false);
    }
  }, []);
  const reset = useCallback(() => setError(undefined), []);
  return { run, isRunning, error, reset };
}
