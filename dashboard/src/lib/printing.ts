import { useSyncExternalStore } from 'react';

let isPrinting = false;
const listeners = new Set<() => void>();
const set = (value: boolean): void => {
  isPrinting = value;
  for (const listener of listeners) listener();
};
addEventListener('beforeprint', () => set(true));
addEventListener('afterprint', () => set(false));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Whether the page is printed now. What renders for that is on the paper. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting);
