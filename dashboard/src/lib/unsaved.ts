import { t } from '@lingui/core/macro';
import { createContext, useContext, useLayoutEffect } from 'react';

/** What leaving the page would lose, and what it asks before. */
export type LeaveQuestion = { title: string; text: string; leave: string };
const unsavedQuestion: LeaveQuestion = {
  title: t`Leave without saving?`,
  text: t`Your unsaved changes will be lost.`,
  leave: t`Discard and leave`,
};

/** Keeps what is typed and not saved yet, or still running, so that leaving the page asks first. */
export type UnsavedChanges = { add(question: LeaveQuestion): () => void; question(): LeaveQuestion | null };

export function createUnsavedChanges(onAdd: () => void = () => {}): UnsavedChanges {
  const questions = new Map<symbol, LeaveQuestion>();
  return {
    add: (question) => {
      const key = Symbol();
      questions.set(key, question);
      onAdd();
      return () => void questions.delete(key);
    },
    question: () => [...questions.values()].at(-1) ?? null,
  };
}

export const UnsavedContext = createContext<UnsavedChanges>(createUnsavedChanges());

/** While `isUnsaved`, leaving the page asks first. Give `question` a constant identity. */
export function useUnsaved(isUnsaved: boolean, question: LeaveQuestion = unsavedQuestion): void {
  const changes = useContext(UnsavedContext);
  // Before the next task, so that a form that is saved can leave at once.
  useLayoutEffect(() => (isUnsaved ? changes.add(question) : undefined), [changes, isUnsaved, question]);
}
