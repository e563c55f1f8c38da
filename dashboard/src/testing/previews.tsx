import type { ChangesClient, Preview, PreviewedCall } from '@gatebook/js/admin';
import type { ReactNode } from 'react';
import { ChangesContext } from '../lib/changes.ts';
import { noChanges } from './clients.ts';

const effect = {
  ...{ kind: 'sessions_ended', count: 3, text: 'Ends 3 sessions' },
  ...{ permissionId: null, people: null, hasMorePeople: false },
} as const;

/** A preview without effects that can be undone, with changes. */
export const previewOf = (change: Partial<Preview> = {}): Preview => ({
  ...{ status: 200, error: null, changes: [], events: [], effects: [], etag: 'x' },
  ...{ changedSince: null, isReversible: true, irreversibleReasons: [] },
  ...change,
});

/** A page whose previews all say `Ends 3 sessions`, and the calls that it previews. */
export function withPreviews(page: ReactNode): { page: ReactNode; previewed: PreviewedCall[] } {
  const previewed: PreviewedCall[] = [];
  const preview: ChangesClient['preview'] = async (call) => {
    previewed.push(call);
    return previewOf({ effects: [effect], isReversible: false, irreversibleReasons: ['Sessions stay ended.'] });
  };
  return { page: <ChangesContext value={{ ...noChanges, preview }}>{page}</ChangesContext>, previewed };
}
