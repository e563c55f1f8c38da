// @vitest-environment happy-dom
import type { ProjectRole, UserBatch, UserBatchesClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { useBatches } from '../../lib/batches.ts';
import { RoleContext } from '../../lib/role.ts';
import { noUserBatches } from '../../testing/clients.ts';
import { pending, renderPage } from '../../testing/render.tsx';
import { BatchPreview } from './batch-preview.tsx';
import { BatchProvider } from './batch-provider.tsx';

beforeEach(() => localStorage.clear());

const batch: UserBatch = {
  ...{ id: 'b1', type: 'lift_restriction', teamId: null, permissionId: null, undoesBatchId: null },
  ...{ startedBy: { kind: 'owner', id: 'maya' }, status: 'running', total: 10, done: 4, failed: 0 },
  ...{ createdAt: new Date(1), endedAt: null },
};
const completed: UserBatch = { ...batch, status: 'completed', done: 10, failed: 2, endedAt: new Date(2) };

function Start() {
  const batches = useBatches();
  const start = () => void batches?.start({ type: 'lift_restriction' }, { userIds: ['u0'] }, 1);
  return (
    <button type="button" disabled={batches?.isBusy !== false} onClick={start}>
      Start
    </button>
  );
}

function show(clients: Partial<UserBatchesClient>, ownerId = 'maya', role: ProjectRole = 'owner') {
  renderPage(
    <RoleContext value={role}>
      <BatchProvider
        projectId="p1"
        ownerId={ownerId}
        userBatches={{ ...noUserBatches, ...clients }}
        during={(work) => work()}
      >
        <Start />
      </BatchProvider>
    </RoleContext>,
  );
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

test('a batch that is started is shown until its end, and closed for good', async () => {
  let batches: UserBatch[] = [];
  const start = vi.fn(async () => {
    batches = [batch];
    return batch;
  });
  show({ list: async () => batches, start });
  await press('Start');
  expect(await screen.findByText('4 of 10 users')).toBeTruthy();
  expect(screen.getByText('Lift the restriction of 10 users')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', true);
  batches = [{ ...completed, failed: 0 }];
  expect(await screen.findByText('Complete: 10 of 10 users', {}, { timeout: 5_000 })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', false);
  await press('Close');
  expect(screen.queryByRole('region', { name: 'Batch' })).toBeNull();
  document.body.replaceChildren();
  show({ list: async () => batches });
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', false));
  expect(screen.queryByRole('region', { name: 'Batch' })).toBeNull();
});

test('other owners see a batch while it runs, and can cancel it', async () => {
  let current = batch;
  const cancel = vi.fn(async () => {
    current = { ...batch, status: 'canceled' };
    return current;
  });
  show({ list: async () => [current], cancel }, 'bo');
  expect(await screen.findByText('4 of 10 users')).toBeTruthy();
  await press('Cancel');
  expect(await screen.findByText('Canceled: 4 of 10 users')).toBeTruthy();
  expect(cancel).toHaveBeenCalledExactlyOnceWith('b1');
});

test('a batch that ended while no tab was open is shown to who started it', async () => {
  show({ list: async () => [completed] }, 'bo');
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', false));
  expect(screen.queryByRole('region', { name: 'Batch' })).toBeNull();
  document.body.replaceChildren();
  show({ list: async () => [completed] });
  expect(await screen.findByText('Complete: 10 of 10 users, 2 failed')).toBeTruthy();
});

test('users who could not be changed are listed with links, once asked for', async () => {
  const listFailures = vi.fn(async () => ({
    items: [{ userId: 'u3', code: 'USER_NOT_FOUND', error: 'User not found.' }],
    nextCursor: 'more',
  }));
  show({ list: async () => [completed], listFailures });
  const details = (await screen.findByText('Show what failed')).closest('details');
  expect(listFailures).not.toHaveBeenCalled();
  details?.setAttribute('open', '');
  if (details) fireEvent(details, new Event('toggle'));
  const link = await screen.findByRole('link', { name: 'u3' });
  expect(link.getAttribute('href')).toBe('/projects/p1/users/u3');
  expect(screen.getByText('1 more')).toBeTruthy();
});

test('a batch that has ended is undone by another one, after a preview', async () => {
  let batches = [completed];
  const undo = vi.fn(async () => {
    const undone: UserBatch = { ...batch, id: 'b2', type: 'undo', undoesBatchId: 'b1', total: 8, done: 1 };
    batches = [undone, completed];
    return undone;
  });
  const previewUndo = vi.fn(async () => ({
    ...{ count: 8, previewed: 8, changed: 7, unchanged: 0, effects: [], isReversible: true },
    rejections: [{ code: 'UNDO_CONFLICT', error: 'Changed since.', count: 1 }],
  }));
  show({ list: async () => batches, previewUndo, undo });
  await press('Undo');
  const dialog = await screen.findByRole('dialog', { name: 'Undo this batch?' });
  expect(await within(dialog).findByText('7 users change')).toBeTruthy();
  expect(within(dialog).getByText('1 user: Changed since.')).toBeTruthy();
  expect(previewUndo).toHaveBeenCalledExactlyOnceWith('b1');
  await press('Undo the changes to 8 users');
  expect(await screen.findByText('1 of 8 users')).toBeTruthy();
  expect(undo).toHaveBeenCalledExactlyOnceWith('b1');
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

test('an undo that another batch keeps from starting shows that batch', async () => {
  let batches = [completed];
  const undo = async () => {
    batches = [{ ...batch, id: 'b2', startedBy: { kind: 'owner', id: 'bo' } }, completed];
    throw new KnownError('USER_BATCH_RUNNING', 409, 'Another batch is running.');
  };
  const previewUndo = async () => ({
    ...{ count: 8, previewed: 8, changed: 8, unchanged: 0, effects: [], isReversible: true, rejections: [] },
  });
  show({ list: async () => batches, previewUndo, undo });
  await press('Undo');
  await press('Undo the changes to 8 users');
  expect(await screen.findByText('4 of 10 users')).toBeTruthy();
  const dialog = screen.getByRole('dialog', { name: 'Undo this batch?' });
  expect(within(dialog).getByText('Another batch of this project has to end first.')).toBeTruthy();
});

test.for<Partial<UserBatch>>([{ type: 'sign_out' }, { failed: 10 }, { done: 0, failed: 0 }])(
  'there is nothing to undo of a batch with %o',
  async (given) => {
    show({ list: async () => [{ ...completed, ...given }] });
    await screen.findByRole('button', { name: 'Close' });
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  },
);

test('a batch is undone by support, not by members who only read', async () => {
  const undoOf = async () => (await screen.findByRole('button', { name: 'Undo' })).closest('fieldset');
  show({ list: async () => [completed] }, 'maya', 'read_only');
  expect(await undoOf()).toHaveProperty('disabled', true);
  cleanup();
  show({ list: async () => [completed] }, 'maya', 'support');
  expect(await undoOf()).toBeNull();
});

test('an undo names no number of users before its preview', async () => {
  show({ list: async () => [completed], previewUndo: () => pending() });
  await press('Undo');
  const dialog = await screen.findByRole('dialog', { name: 'Undo this batch?' });
  expect(within(dialog).getByRole('button', { name: 'Undo' })).toHaveProperty('disabled', true);
});

test('an undo that would change nobody can’t be started', async () => {
  const rejections = [{ code: 'ACTION_ALREADY_UNDONE', error: 'Already undone.', count: 8 }];
  const facts = { count: 8, previewed: 8, changed: 0, unchanged: 0, effects: [], isReversible: true };
  show({ list: async () => [completed], previewUndo: async () => ({ ...facts, rejections }) });
  await press('Undo');
  expect(await screen.findByText('8 users: Already undone.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo the changes to 8 users' })).toHaveProperty('disabled', true);
});

test('the preview adds up what happens to the first users', async () => {
  const preview = {
    ...{ count: 11, previewed: 10, changed: 8, unchanged: 1, isReversible: true },
    rejections: [{ code: 'USER_NOT_FOUND', error: 'User not found.', count: 1 }],
    effects: [{ kind: 'sessions_ended', count: 16 }],
  };
  renderPage(<BatchPreview preview={preview} />);
  expect(await screen.findByText('Of the first 10 users: 8 users change, 1 unchanged')).toBeTruthy();
  const effects = screen.getByRole('list', { name: 'Effects' }).textContent;
  expect(effects).toContain('16 sessions end');
  expect(effects).toContain('1 user: User not found.');
  expect(effects).toContain('Can be undone.');
});
