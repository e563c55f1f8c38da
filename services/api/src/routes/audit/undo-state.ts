import type { AuditUndoView } from '@gatebook/contract/audit';

/** Whether the action of an event can be undone. */
export function undoStateOf({ undoneBy }: { undoneBy: string | null }): AuditUndoView {
  return undoneBy === null
    ? { state: 'not_reversible', reasons: ['Actions can’t be undone yet.'] }
    : { state: 'undone', reasons: [] };
}

export const isReversible = (_type: string): boolean => false;
