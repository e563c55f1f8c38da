// @vitest-environment happy-dom

import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { annId, sampleUser } from '../../testing/samples.ts';
import { openMenuItem, showUserPage } from './testing/user-page.tsx';

test('a new password must be long enough', async () => {
  const update = vi.fn(async () => sampleUser());
  showUserPage({ users: { update } });
  await openMenuItem('Set password');
  const dialog = await screen.findByRole('dialog', { name: 'Set password' });
  const field = within(dialog).getByLabelText('New password');
  fireEvent.change(field, { target: { value: 'short' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Set password' }));
  expect(await within(dialog).findByText('Use at least 8 characters')).toBeTruthy();
  fireEvent.change(field, { target: { value: 'long enough' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Set password' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { password: 'long enough' }));
});

test('deleting a user requires typing the email', async () => {
  const remove = vi.fn(async () => {});
  const { visited } = showUserPage({ users: { delete: remove } });
  await openMenuItem('Delete user');
  const dialog = await screen.findByRole('dialog', { name: 'Delete this user?' });
  const button = within(dialog).getByRole('button', { name: 'Delete user' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'ann@example.com' } });
  expect(button.disabled).toBe(false);
  fireEvent.click(button);
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/users']));
  expect(remove).toHaveBeenCalledExactlyOnceWith(annId);
});

test('user data is exported as a JSON file', async () => {
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const exportUser = vi.fn(async () => ({ user: 'everything' }));
  showUserPage({ users: { export: exportUser } });
  await openMenuItem('Export user data');
  await vi.waitFor(() => expect(saved).toEqual([`user-${annId}.json`]));
  expect(exportUser).toHaveBeenCalledWith(annId);
  vi.restoreAllMocks();
});

test('an owner restricts a user with a reason', async () => {
  const update = vi.fn(async () => sampleUser());
  showUserPage({ users: { update } });
  await openMenuItem('Restrict user');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Spam ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Restrict user' }));
  await vi.waitFor(() =>
    expect(update).toHaveBeenCalledExactlyOnceWith(annId, {
      restrictedByAdmin: true,
      restrictedByAdminReason: 'Spam',
      restrictedByAdminPrivateDetails: null,
    }),
  );
});

test('a restricted user has a badge and the reason, and the restriction can be lifted', async () => {
  const update = vi.fn(async () => sampleUser());
  const restricted = sampleUser({
    restriction: 'restricted_by_administrator',
    restrictedByAdmin: true,
    restrictedByAdminReason: 'Spam',
    restrictedByAdminPrivateDetails: 'Ticket 7',
  });
  showUserPage({ users: { find: async () => restricted, update } });
  expect(await screen.findByText('Spam')).toBeTruthy();
  expect(screen.getByText('Ticket 7')).toBeTruthy();
  expect(screen.getAllByText('Restricted').length).toBeGreaterThan(0);
  await openMenuItem('Lift restriction');
  fireEvent.click(await screen.findByRole('button', { name: 'Lift restriction' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { restrictedByAdmin: false }));
});

test('a link to set a new password is sent, to the page of the app', async () => {
  const sendPasswordReset = vi.fn(async () => {});
  showUserPage({ users: { sendPasswordReset } });
  await openMenuItem('Send password reset');
  fireEvent.click(await screen.findByRole('button', { name: 'Send email' }));
  const url = 'https://shop.example/handler/password-reset';
  await vi.waitFor(() => expect(sendPasswordReset).toHaveBeenCalledExactlyOnceWith('ann@example.com', url));
});

test('an impersonation asks for a reason and a duration, and leads to the page of the app', async () => {
  const impersonate = vi.fn(async () => 'token');
  showUserPage({ users: { impersonate } });
  await openMenuItem('Impersonate');
  const dialog = within(await screen.findByRole('dialog', { name: 'Impersonate Ann Achebe' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  expect(await dialog.findByText('Enter a reason')).toBeTruthy();
  fireEvent.change(dialog.getByLabelText('Reason'), { target: { value: ' Ticket 42 ' } });
  const page = dialog.getByLabelText<HTMLInputElement>('Page of your app');
  const ownPage = page.value;
  fireEvent.change(page, { target: { value: 'https://shop.example.evil.test/handler/impersonation' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  expect(await dialog.findByText('Enter a URL on a trusted domain of the project')).toBeTruthy();
  fireEvent.change(page, { target: { value: ownPage } });
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  const link = await dialog.findByRole('link', { name: 'Open app' });
  expect(link.getAttribute('href')).toBe('https://shop.example/handler/impersonation#token');
  expect(dialog.getByText(/lasts 15 minutes/)).toBeTruthy();
  expect(impersonate).toHaveBeenCalledExactlyOnceWith(annId, { reason: 'Ticket 42', minutes: 15 });
});

test('no link is sent to an address that the user does not sign in with', async () => {
  showUserPage({ users: { find: async () => sampleUser({ primaryEmailAuthEnabled: false }) } });
  await openMenuItem('Send password reset');
  expect(await screen.findByText('This user has no email address to sign in with.')).toBeTruthy();
});
