import type { UserBatchAction, UserBatchesClient, UserBatchSelection } from '@gatebook/js/admin';
import { createContext, useContext } from 'react';

/** Batches of the current project. The server runs them. */
export type Batches = {
  /** There is one already, which has to end first. */
  isBusy: boolean;
  /** The signed-in owner, who is a user of the project `internal`; null while not known. */
  ownerId: string | null;
  preview: UserBatchesClient['preview'];
  /** @throws KnownError USER_BATCH_OUTDATED */
  start: (action: UserBatchAction, selection: UserBatchSelection, expectedCount: number) => Promise<void>;
  previewUndo: UserBatchesClient['previewUndo'];
  /** Starts a batch. */
  undo: (batchId: string) => Promise<void>;
};

export const BatchesContext = createContext<Batches | null>(null);

/** null outside a project. */
export function useBatches(): Batches | null {
  return useContext(BatchesContext);
}
