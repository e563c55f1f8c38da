import type { ChangesClient } from '@gatebook/js/admin';
import { createContext, useContext } from 'react';

/** Previews and undo of the current project. A context, because every dialog of consequence has a preview. */
export const ChangesContext = createContext<ChangesClient | null>(null);

/** null outside a project. */
export function useChanges(): ChangesClient | null {
  return useContext(ChangesContext);
}
