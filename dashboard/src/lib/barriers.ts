import type { ProjectRole } from '@gatebook/js/admin';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';

/** Why controls are disabled: the page shows the past, or the person lacks a role. */
export type Barrier = 'past' | ProjectRole;

type Barriers = {
  /** Of the sentence that says why. */
  noteId: string;
  /** @returns what takes it away */
  add: (barrier: Barrier) => () => void;
};

export const BarriersContext = createContext<Barriers | null>(null);

/** Collects what disables controls of a page. `found`: each once. */
export function useBarriers(noteId: string): { found: readonly Barrier[]; barriers: Barriers } {
  const counts = useRef(new Map<Barrier, number>());
  const [text, setText] = useState('');
  const add = useCallback((barrier: Barrier) => {
    const change = (by: number): void => {
      counts.current.set(barrier, (counts.current.get(barrier) ?? 0) + by);
      const present = [...counts.current].flatMap(([one, count]) => (count > 0 ? [one] : []));
      setText(present.sort().join(' '));
    };
    change(1);
    return () => change(-1);
  }, []);
  const barriers = useMemo(() => ({ noteId, add }), [noteId, add]);
  return { found: text === '' ? [] : (text.split(' ') as Barrier[]), barriers };
}

/** Tells the page what disables a control; null if nothing does. @returns the ID of the page's sentence about it */
export function useReportBarrier(barrier: Barrier | null): string | undefined {
  const page = useContext(BarriersContext);
  const add = page?.add;
  useEffect(() => (barrier === null ? undefined : add?.(barrier)), [barrier, add]);
  return barrier === null ? undefined : page?.noteId;
}
