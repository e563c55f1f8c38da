import { useSyncExternalStore } from 'react';

const KEY = 'gatebook-times';
/** `relative`: as in `2 hours ago`. */
export type TimeStyle = 'relative' | 'exact';

const listeners = new Set<() => void>();
/** For a browser without storage. */
let chosen: TimeStyle = 'relative';

function read(): TimeStyle {
  try {
    return localStorage.getItem(KEY) === 'exact' ? 'exact' : 'relative';
  } catch {
    return chosen;
  }
}

/** How all pages show times, kept in this browser. */
export function setTimeStyle(style: TimeStyle): void {
  chosen = style;
  try {
    if (style === 'exact') localStorage.setItem(KEY, style);
    else localStorage.removeItem(KEY);
  } catch {}
  for (const listener of listeners) listener();
}

export function useTimeStyle(): TimeStyle {
  return useSyncExternalStore(subscribe, read);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab has changed it.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}
