import { createContext, useContext, useLayoutEffect } from 'react';

/** Counts what is typed and not saved yet, so that leaving the page asks first. */
export type UnsavedChanges = { add(): () => void; has(): boolean };

export function createUnsavedChanges(onAdd: () => void = () => {}): UnsavedChanges {
  let count = 0;
  return {
    add: () => {
      count += 1;
      onAdd();
      return () => {
        count -= 1;
      };
    },
    has: () => count > 0,
  };
}

export const UnsavedContext = createContext<UnsavedChanges>(createUnsavedChanges());

/** While `isUnsaved`, leaving the page asks first. */
export function useUnsaved(isUnsaved: boolean): void {
  const changes = useContext(UnsavedContext);
  // Before the next task, so that a form that is saved can leave at once.
  useLayoutEffect(() => (isUnsaved ? changes.add() : undefined), [changes, isUnsaved]);
}
