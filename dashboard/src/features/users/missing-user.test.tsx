// @vitest-environment happy-dom

import type { AuditClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { annId, sampleAuditEvent, sampleUser } from '../../testing/samples.ts';
import { showUserPage } from './testing/user-page.tsx';

const unknown = async () => Promise.reject(new KnownError('USER_NOT_FOUND', 404, ''));

test('an unknown user offers a link to the list', async () => {
  showUserPage({ users: { find: unknown }, listEvents: async () => ({ items: [], nextCursor: null }) });
  const link = await screen.findByRole('link', { name: 'View users' });
  expect(link.getAttribute('href')).toBe('/projects/p1/users');
});

test('a deleted user has a page with the last moment before the deletion', async () => {
  const at = new Date('2026-03-01T10:00:00Z');
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeleted', actionId: 'deletion', at });
  const part = sampleAuditEvent({ id: 'e4', actionId: 'deletion', at });
  const before = sampleAuditEvent({ id: 'e3', actionId: 'earlier', at });
  const listEvents: AuditClient['list'] = async ({ type } = {}) => {
    return { items: type === undefined ? [deleted, part, before] : [deleted], nextCursor: null };
  };
  showUserPage({ users: { find: unknown }, listEvents });
  expect(await screen.findByRole('heading', { name: 'This user was deleted' })).toBeTruthy();
  const link = screen.getByRole('link', { name: 'View the user as they last were' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${annId}?as_of=e3`);
  expect(screen.getByRole('region', { name: 'History' })).toBeTruthy();
  expect(screen.getByText(/The personal data is erased/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Deleted users' })).toBeNull();
});

test('a deletion with a grace period can be undone until its end', async () => {
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeletionScheduled' });
  showUserPage({ users: { find: unknown }, listEvents: async () => ({ items: [deleted], nextCursor: null }) });
  const link = await screen.findByRole('link', { name: 'Deleted users' });
  expect(link.getAttribute('href')).toBe('/projects/p1/deleted-users');
  expect(screen.queryByText(/The personal data is erased/)).toBeNull();
});

test('a user who was merged has a page that leads to the user who stays', async () => {
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeleted' });
  const detail = { changes: null, effects: [], undo: { state: 'not_reversible', reasons: [] }, actionsSameRequest: [] };
  const keptId = '00000000-0000-4000-8000-0000000000d3';
  const find = async (id: string) => (id === keptId ? sampleUser({ id, displayName: 'Ann B.' }) : unknown());
  showUserPage({
    users: { find },
    listEvents: async () => ({ items: [deleted], nextCursor: null }),
    findEvent: async () => ({ ...deleted, ...detail, data: { mergedIntoId: keptId } }),
  });
  const link = await screen.findByRole('link', { name: 'Ann B.' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${keptId}`);
  expect(link.parentElement?.textContent).toContain('Merged into Ann B.');
});

test('a restored user is not shown as deleted', async () => {
  const items = ['UserDeletionCanceled', 'UserDeletionScheduled'].map((type) => sampleAuditEvent({ id: type, type }));
  showUserPage({ users: { find: unknown }, listEvents: async () => ({ items, nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'This user does not exist' })).toBeTruthy();
});
