// @vitest-environment happy-dom

import type { Action, ChangesClient, Preview } from '@gatebook/js/admin';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ChangesContext } from '../../lib/changes.ts';
import { useNotify } from '../../lib/notices.ts';
import type { Write } from '../../lib/watch-writes.ts';
import { noChanges } from '../../testing/clients.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId } from '../../testing/samples.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Toasts } from './toasts.tsx';
import { UndoButton } from './undo-button.tsx';

const preview: Preview = {
  status: 200,
  error: null,
  changes: [],
  events: [],
  effects: [],
  isReversible: true,
  irreversibleReasons: [],
  etag: 'x',
  changedSince: null,
};
const call = { method: 'DELETE', path: `/users/${annId}` } as const;

async function ask(change: Partial<Preview>) {
  const changes: ChangesClient = { ...noChanges, preview: async () => ({ ...preview, ...change }) };
  renderPage(
    <ChangesContext value={changes}>
      <ConfirmDialog
        isOpen
        onClose={() => {}}
        title="Delete?"
        confirmLabel="Delete"
        call={call}
        onConfirm={async () => {}}
      >
        Really
      </ConfirmDialog>
    </ChangesContext>,
  );
  return screen.findByRole('dialog', { name: 'Delete?' });
}

test('a dialog shows the effects of its call, with the people concerned', async () => {
  const dialog = await ask({
    effects: [
      {
        kind: 'sessions_ended',
        count: 3,
        text: 'Ends 3 sessions',
        permissionId: null,
        people: null,
        hasMorePeople: false,
      },
      {
        kind: 'permission_lost',
        count: 1_201,
        text: '1201 people lose billing',
        permissionId: 'billing',
        people: [{ userId: annId, teamId: null, displayName: 'Ann' }],
        hasMorePeople: true,
      },
    ],
    isReversible: false,
    irreversibleReasons: ['Personal data is erased.'],
  });
  expect(await within(dialog).findByText('Ends 3 sessions')).toBeTruthy();
  expect(within(dialog).getByText('Ann')).toBeTruthy();
  expect(within(dialog).getByText('1,200 more')).toBeTruthy();
  expect(within(dialog).getByText('Cannot be undone. Personal data is erased.')).toBeTruthy();
});

test('a dialog says when its call would be rejected', async () => {
  const dialog = await ask({ error: { code: 'X', error: 'The team has members.' } });
  expect((await within(dialog).findByRole('alert')).textContent).toBe('The team has members.');
});

test('an action is undone after confirmation', async () => {
  const undo = vi.fn(async (actionId: string) => ({
    actionId: 'r2',
    undoesActionId: actionId,
    changes: [],
    warnings: [],
  }));
  renderPage(
    <ChangesContext value={{ ...noChanges, preview: async () => preview, undo }}>
      <UndoButton actionId="r1" undo={{ state: 'partial', reasons: ['The session stays ended.'] }} />
    </ChangesContext>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  const dialog = await screen.findByRole('dialog', { name: 'Undo this action?' });
  expect(dialog.textContent).toContain('The session stays ended.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(undo).toHaveBeenCalledWith('r1'));
});

test('an action that cannot be undone says why', () => {
  renderPage(
    <ChangesContext value={noChanges}>
      <UndoButton actionId="r1" undo={{ state: 'not_reversible', reasons: ['An email was sent.'] }} />
    </ChangesContext>,
  );
  expect(screen.getByText('Cannot be undone. An email was sent.')).toBeTruthy();
});

const action: Action = {
  id: 'r1',
  actor: { kind: 'owner', id: 'o', displayName: 'Maya' },
  at: new Date(),
  events: [
    {
      id: 'e1',
      type: 'UserRenamed',
      text: 'Renamed',
      isTechnical: false,
      isReversible: true,
      targets: [],
      at: new Date(),
    },
  ],
  changes: [],
  undo: { state: 'possible', reasons: [], conflicts: [], undoneByActionId: null },
  undoesActionId: null,
};

function Merge() {
  const notify = useNotify();
  return (
    <button type="button" onClick={() => notify('Merged A into B')}>
      Merge
    </button>
  );
}

function showToast(found: Action) {
  const listeners = new Set<(write: Write) => void>();
  const undo = vi.fn(async () => ({ actionId: 'r2', undoesActionId: 'r1', changes: [], warnings: [] }));
  const subscribe = (listener: (write: Write) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  renderPage(
    <Toasts changes={{ ...noChanges, findAction: async () => found, undo }} projectId="p1" subscribe={subscribe}>
      <Merge />
    </Toasts>,
  );
  const write = (projectId: string) =>
    act(async () => {
      for (const listener of listeners) listener({ id: 'r1', projectId });
    });
  return { undo, write };
}

test('a write can be undone from its toast', async () => {
  const { undo, write } = showToast(action);
  await write('p1');
  expect(await screen.findByText('Renamed')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(screen.queryByText('Renamed')).toBeNull());
  expect(undo).toHaveBeenCalledWith('r1');
});

test('a write that cannot be undone, or of another project, has no toast', async () => {
  const { write } = showToast({ ...action, undo: { ...action.undo, state: 'not_reversible' } });
  await write('p1');
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  const other = showToast(action);
  await other.write('p2');
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

test('a notice is shown beside the offer to undo another write, until it is dismissed', async () => {
  const { write } = showToast(action);
  fireEvent.click(screen.getByRole('button', { name: 'Merge' }));
  await write('p1');
  const toasts = within(screen.getByRole('status'));
  expect(await toasts.findByText('Renamed')).toBeTruthy();
  expect(toasts.getByText('Merged A into B')).toBeTruthy();
  expect(toasts.getAllByRole('button', { name: 'Undo' })).toHaveLength(1);
  fireEvent.click(toasts.getAllByRole('button', { name: 'Dismiss' })[0] as HTMLElement);
  expect(toasts.queryByText('Merged A into B')).toBeNull();
  expect(toasts.getByText('Renamed')).toBeTruthy();
});
