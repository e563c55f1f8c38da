import type { User } from '@gatebook/js/admin';
import { useState } from 'react';
import type { UserSelection } from './users-table.tsx';

/** Users who were selected one by one, on any page, or all who match. */
export type Selected = { kind: 'some'; users: ReadonlyMap<string, User> } | { kind: 'all' };
const nobody: Selected = { kind: 'some', users: new Map() };

export type SelectionState = {
  selected: Selected;
  selection: UserSelection;
  selectAll: () => void;
  clear: () => void;
};

/** `page`: the users who are shown. */
export function useSelection(page: readonly User[]): SelectionState {
  const [selected, setSelected] = useState<Selected>(nobody);
  const isAll = selected.kind === 'all';
  return {
    selected,
    selection: {
      has: (userId) => isAll || selected.users.has(userId),
      set: (users, isSelected) => {
        // Without one of all, only this page stays selected.
        const next = new Map(isAll ? page.map((user) => [user.id, user]) : selected.users);
        for (const user of users) {
          if (isSelected) next.set(user.id, user);
          else next.delete(user.id);
        }
        setSelected({ kind: 'some', users: next });
      },
    },
    selectAll: () => setSelected({ kind: 'all' }),
    clear: () => setSelected(nobody),
  };
}
