import { useEffect, useState, useSyncExternalStore } from 'react';
import { errorText } from './error-text.ts';
import { useNotify } from './notices.ts';

/** Code that is loaded after its page, or when it is needed before that. */
export type Late<Value> = { value: Value | undefined; load: () => Promise<void> };

/** By then a page has its data, also on slow machines. */
const IDLE_MS = 2_000;
const all = new Set<Late<unknown>>();

export function late<Value>(importValue: () => Promise<Value>): Late<Value> {
  const code: Late<Value> = {
    value: undefined,
    load: async () => {
      code.value ??= await importValue();
    },
  };
  all.add(code);
  // A failure is shown when the code is needed.
  setTimeout(() => void code.load().catch(() => {}), IDLE_MS);
  return code;
}

let isSettled = false;
const waiting = new Set<() => void>();
const settle = (): void => {
  isSettled = true;
  for (const listener of waiting) listener();
};
setTimeout(settle, IDLE_MS);
// Paper shows what a screen shows on hover.
addEventListener('beforeprint', settle);

const subscribe = (listener: () => void): (() => void) => {
  waiting.add(listener);
  return () => void waiting.delete(listener);
};

/** Whether the first page has its data by now, so that what it only shows on hover no longer delays it. */
export const useIsSettled = (): boolean => useSyncExternalStore(subscribe, () => isSettled);

/** Loads all late code of the pages that are loaded, and the late code of that. */
export async function loadLateCode(): Promise<void> {
  settle();
  for (const code of all) await code.load();
}

/** The code once it is loaded. @param onFail runs after a notice says why it can't be loaded */
export function useLate<Value>(code: Late<Value>, isNeeded: boolean, onFail: () => void): Value | undefined {
  const [, setLoaded] = useState(false);
  const notify = useNotify();
  const isMissing = isNeeded && code.value === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new callbacks of a render must not load again
  useEffect(() => {
    if (!isMissing) return;
    code.load().then(
      () => setLoaded(true),
      (error: unknown) => {
        notify(errorText(error));
        onFail();
      },
    );
  }, [isMissing]);
  return code.value;
}
