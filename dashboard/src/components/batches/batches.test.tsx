// @vitest-environment happy-dom
import { ConnectionError, KnownError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { useBatches } from '../../lib/batches.ts';
import { ChangesContext } from '../../lib/changes.ts';
import { noChanges } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { type BatchAction, callOf } from './batch.ts';
import { BatchPreview } from './batch-preview.tsx';
import { BatchProvider } from './batch-provider.tsx';
import type { BatchClients } from './run-batch.ts';
import { readBatch, storeBatch } from './stored-batch.ts';

const userIds = Array.from({ length: 10 }, (_, nth) => `u${nth}`);
beforeEach(() => localStorage.clear());

function Start({ action }: { action: BatchAction }) {
  const batches = useBatches();
  return (
    <button type="button" disabled={batches?.isBusy !== false} onClick={() => batches?.start(action, userIds)}>
      Start
    </button>
  );
}

function show(clients: { write?: BatchClients['changes']['write']; revokeAll?: () => Promise<number> }, options = {}) {
  const { action, ownerId } = { action: { type: 'lift' } as BatchAction, ownerId: 'maya', ...options };
  renderPage(
    <BatchProvider
      projectId="p1"
      ownerId={ownerId}
      clients={{ changes: { ...noChanges, ...clients }, sessions: { revokeAll: never, ...clients } }}
      during={(work) => work()}
    >
      <Start action={action} />
    </BatchProvider>,
  );
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

test('a batch calls the API once for each user, and shows its progress and its end', async () => {
  const write = vi.fn(async () => null);
  show({ write });
  await press('Start');
  expect(await screen.findByText('Complete: 10 of 10 users')).toBeTruthy();
  expect(write.mock.calls.map(([call]: unknown[]) => call)).toEqual(
    userIds.map((id) => ({ method: 'PATCH', path: `/users/${id}`, body: { restricted_by_admin: false } })),
  );
  expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', true);
  await press('Close');
  expect(screen.queryByRole('region', { name: 'Batch' })).toBeNull();
  expect(localStorage).toHaveLength(0);
});

test('users whose call is rejected are listed, and those who are already as wanted are not', async () => {
  const write = async ({ path }: { path: string }) => {
    if (path.endsWith('/u3')) throw new KnownError('USER_NOT_FOUND', 404, 'User not found.');
    if (path.endsWith('/u4')) throw new KnownError('TEAM_MEMBERSHIP_ALREADY_EXISTS', 409, '');
  };
  show({ write }, { action: { type: 'add-to-team', teamId: 't1', teamName: 'Editors' } });
  await press('Start');
  expect(await screen.findByText('Complete: 10 of 10 users, 1 failed')).toBeTruthy();
  expect(screen.getByText('Add 10 users to Editors')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'u3' }).getAttribute('href')).toBe('/projects/p1/users/u3');
});

test('a batch that lost the connection, or its tab, continues where it stopped, for its owner only', async () => {
  const done: string[] = [];
  let isOnline = true;
  const write = async ({ path }: { path: string }) => {
    if (!isOnline) throw new ConnectionError(true, {}, null);
    done.push(path);
    if (done.length === 4) isOnline = false;
  };
  show({ write });
  await press('Start');
  expect(await screen.findByText('Stopped: 4 of 10 users')).toBeTruthy();
  expect(screen.getByText(/offline/)).toBeTruthy();
  document.body.replaceChildren();
  show({ write }, { ownerId: 'bo' });
  expect(screen.queryByText(/of 10 users/)).toBeNull();
  document.body.replaceChildren();
  show({ write });
  expect(await screen.findByText('Stopped: 4 of 10 users')).toBeTruthy();
  isOnline = true;
  await press('Continue');
  expect(await screen.findByText('Complete: 10 of 10 users')).toBeTruthy();
  expect(done).toEqual(userIds.map((id) => `/users/${id}`));
});

test('a batch that another tab discards ends here, and is forgotten', async () => {
  const write = vi.fn(async () => {
    if (write.mock.calls.length === 4) localStorage.clear();
  });
  show({ write });
  await press('Start');
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(4));
  globalThis.dispatchEvent(new StorageEvent('storage'));
  await vi.waitFor(() => expect(screen.queryByText(/of 10 users/)).toBeNull());
  expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', false);
  expect(write).toHaveBeenCalledTimes(4);
  expect(localStorage).toHaveLength(0);
});

test('a batch that another tab starts is shown, and no second one starts', async () => {
  show({});
  const batch = { id: 'b1', ownerId: 'maya', action: { type: 'lift' as const }, userIds };
  storeBatch('p1', batch);
  storeBatch('p1', { ...batch, ownerId: 'bo' });
  globalThis.dispatchEvent(new StorageEvent('storage'));
  expect(await screen.findByText('Stopped: 0 of 10 users')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', true);
  await press('Discard the rest');
  expect(readBatch('p1', 'maya')).toBeNull();
  expect(readBatch('p1', 'bo')).not.toBeNull();
});

test('users who are restricted already keep their reason if the batch has none', () => {
  const bodyOf = (reason: string | null) => callOf({ type: 'restrict', reason }, 'u1')?.body;
  expect(bodyOf(null)).toEqual({ restricted_by_admin: true });
  expect(bodyOf('Spam')).toEqual({ restricted_by_admin: true, restricted_by_admin_reason: 'Spam' });
});

test('signing out revokes the sessions of each user', async () => {
  const revokeAll = vi.fn(async () => 1);
  show({ revokeAll }, { action: { type: 'sign-out' } });
  await press('Start');
  await screen.findByText('Complete: 10 of 10 users');
  expect(revokeAll).toHaveBeenCalledTimes(10);
});

test('the preview adds up what happens to the first users', async () => {
  const usual = {
    status: 200,
    error: null,
    changes: [],
    events: [{ type: 'UserRestricted', text: '', isTechnical: false, targets: [] }],
    effects: [{ kind: 'sessions_ended', count: 2, text: '', permissionId: null, people: null, hasMorePeople: false }],
    isReversible: true,
    irreversibleReasons: [],
    etag: 'e',
    changedSince: null,
  };
  const preview: BatchClients['changes']['preview'] = async ({ path }) => {
    if (path.endsWith('u0')) return { ...usual, events: [], effects: [] };
    if (path.endsWith('u1')) return { ...usual, error: { code: 'USER_NOT_FOUND', error: 'User not found.' } };
    return usual;
  };
  renderPage(
    <ChangesContext value={{ ...noChanges, preview }}>
      <BatchPreview action={{ type: 'restrict', reason: null }} userIds={[...userIds, 'u10']} />
    </ChangesContext>,
  );
  expect(await screen.findByText('Of the first 10 users: 8 users change, 1 already as wanted')).toBeTruthy();
  const effects = screen.getByRole('list', { name: 'Effects' }).textContent;
  expect(effects).toContain('16 sessions end');
  expect(effects).toContain('1 user: User not found.');
  expect(effects).toContain('Each change can be undone in the audit log.');
});
