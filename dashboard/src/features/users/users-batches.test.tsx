// @vitest-environment happy-dom
import type { UsersClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { BatchesContext } from '../../lib/batches.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { firstSearch, pageOfAnn, press, usersPage } from './testing/users-page.tsx';

/** Shows two users of more pages, and records the batches that are started. */
function showForBatches(users: Partial<UsersClient>) {
  const start = vi.fn();
  const all = { search: async () => ({ items: [sampleUser(), bo], nextCursor: 'after' }), ...users };
  renderPage(
    <BatchesContext value={{ isBusy: false, ownerId: 'o1', start }}>{usersPage(all, firstSearch)}</BatchesContext>,
  );
  return start;
}
const bo = sampleUser({ id: 'u2', displayName: 'Bo' });
const act = async (name: string) => {
  await press('Actions');
  fireEvent.click(await screen.findByRole('menuitem', { name }));
};

test('selected users are restricted in one batch', async () => {
  const start = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  expect(screen.getByText('1 selected')).toBeTruthy();
  await act('Restrict');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Spam ' } });
  await press('Restrict 1 user');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'restrict', reason: 'Spam' }, ['u2']);
  await vi.waitFor(() => expect(screen.queryByRole('region', { name: 'Selected users' })).toBeNull());
});

test('all who match are found before they are deleted, after the number is typed', async () => {
  const pages = [
    { items: [sampleUser(), bo], nextCursor: 'c2' },
    { items: [sampleUser({ id: 'u3' })], nextCursor: null },
  ];
  const search: UsersClient['search'] = async ({ limit, cursor }) =>
    (limit === 1_000 && cursor === 'c2' ? pages[1] : pages[0]) ?? pageOfAnn(null);
  const start = showForBatches({ search });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await press('Select all 1,234 users that match');
  await act('Delete');
  const button = await screen.findByRole('button', { name: 'Delete 3 users' });
  expect(button).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Type delete 3 users to confirm'), { target: { value: 'delete 3 users' } });
  fireEvent.click(button);
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'delete' }, [annId, 'u2', 'u3']);
});

test('a batch that ends sessions leaves out the owner who starts it', async () => {
  const items = [sampleUser(), sampleUser({ id: 'o1', displayName: 'Olga' })];
  const start = showForBatches({ search: async () => ({ items, nextCursor: null }) });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await act('Sign out everywhere');
  expect(await screen.findByText('Your own account is left out.')).toBeTruthy();
  await press('Sign out 1 user');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'sign-out' }, [annId]);
});

test('users who match later are not in a batch that is already shown', async () => {
  let matching = [sampleUser(), bo];
  function Refresh() {
    const cache = useResourceCache();
    return (
      <button type="button" onClick={() => void cache.invalidate([])}>
        Refresh
      </button>
    );
  }
  const search: UsersClient['search'] = async ({ limit }) => ({
    items: matching,
    nextCursor: limit === 1_000 ? null : 'after',
  });
  const start = vi.fn();
  renderPage(
    <BatchesContext value={{ isBusy: false, ownerId: 'o1', start }}>
      {usersPage({ search }, firstSearch)}
      <Refresh />
    </BatchesContext>,
  );
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await press('Select all 1,234 users that match');
  await act('Sign out everywhere');
  await screen.findByRole('button', { name: 'Sign out 2 users' });
  matching = [bo, sampleUser({ id: 'u3', displayName: 'Cy' })];
  fireEvent.click(screen.getByText('Refresh'));
  await screen.findByText('Cy');
  await press('Sign out 2 users');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'sign-out' }, [annId, 'u2']);
});

test('an action needs its team', async () => {
  const start = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  await act('Add to team');
  expect(await screen.findByRole('button', { name: 'Add 1 user to a team' })).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByLabelText('Team', { selector: 'input' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Editors' }));
  await press('Add 1 user to Editors');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'add-to-team', teamId: 't1', teamName: 'Editors' }, ['u2']);
});
