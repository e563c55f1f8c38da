import { createContext, useContext } from 'react';
import type { BatchAction } from '../components/batches/batch.ts';

/** Starts batches of the current project. They run on while the owner looks at other pages. */
export type Batches = {
  /** There is one already, which has to end first. */
  isBusy: boolean;
  /** The signed-in owner, who is a user of the project `internal`; null while not known. */
  ownerId: string | null;
  /** @throws DOMException if the browser's storage is full or switched off */
  start: (action: BatchAction, userIds: readonly string[]) => void;
};

export const BatchesContext = createContext<Batches | null>(null);

/** null outside a project. */
export function useBatches(): Batches | null {
  return useContext(BatchesContext);
}
