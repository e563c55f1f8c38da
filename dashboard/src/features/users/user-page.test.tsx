// @vitest-environment happy-dom

import type { User } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { rememberList } from '../../lib/last-list.ts';
import { pending } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { showUserPage, signUp } from './testing/user-page.tsx';

test('shows a loading state', () => {
  showUserPage({ users: { find: () => pending<User>() } });
  expect(screen.getByRole('status', { name: 'Loading user' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const find = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(sampleUser());
  showUserPage({ users: { find } });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Ann Achebe' })).toBeTruthy();
});

test('shows profile, sessions and history of a user', async () => {
  showUserPage();
  const profile = await screen.findByRole('region', { name: 'Profile' });
  expect(profile.textContent).toContain('ann@example.com');
  expect(profile.textContent).toContain('Verified');
  const sessions = await screen.findByRole('region', { name: 'Sessions' });
  expect(await within(sessions).findByText(/Malmö, Sweden, 203.0.113.9/)).toBeTruthy();
  expect(within(sessions).getByText(/Chrome on macOS/)).toBeTruthy();
  const history = screen.getByRole('region', { name: 'History' });
  expect((await within(history).findByText('Signed up with a password')).textContent).toBeTruthy();
  expect(history.textContent).toContain('by Maya (owner)');
  expect(document.title).toBe('Ann Achebe · Gatebook');
});

test('renaming a user sends only the name and reloads the history', async () => {
  const update = vi.fn(async () => sampleUser());
  const listEvents = vi.fn(async () => ({ items: [signUp], nextCursor: null }));
  showUserPage({ users: { update }, listEvents });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit user' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit user' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Ann B.' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { displayName: 'Ann B.' }));
  await vi.waitFor(() => expect(listEvents).toHaveBeenCalledTimes(2));
});

test('metadata that is not JSON, or is too large, is not saved', async () => {
  const update = vi.fn(async () => sampleUser());
  showUserPage({ users: { find: async () => sampleUser({ clientReadOnlyMetadata: { plan: 'free' } }), update } });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit metadata' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit metadata' }));
  const field = dialog.getByLabelText('Client read-only metadata');
  const save = (value: string) => {
    fireEvent.change(field, { target: { value } });
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  };
  save('{ plan }');
  expect(dialog.getByText('Line 1, column 3: Enter a name in double quotes or }')).toBeTruthy();
  save(JSON.stringify('x'.repeat(65_536)));
  expect(dialog.getByText('Shorten this to 65,536 bytes. It has 65,538.')).toBeTruthy();
  save('{ "plan": "pro" }');
  expect(dialog.getByText('14 of 65,536 bytes')).toBeTruthy();
  expect(dialog.getByRole('row', { name: 'plan free pro' })).toBeTruthy();
  await vi.waitFor(() =>
    expect(update).toHaveBeenCalledExactlyOnceWith(annId, { clientReadOnlyMetadata: { plan: 'pro' } }),
  );
});

test('the way back leads to the list as it was left', async () => {
  rememberList('p1', 'users', '/projects/p1/users?query=ann&order=active&cursor=c2');
  showUserPage();
  const back = await screen.findByRole('link', { name: 'Users' });
  expect(back.getAttribute('href')).toBe('/projects/p1/users?query=ann&order=active&cursor=c2');
  sessionStorage.clear();
});
