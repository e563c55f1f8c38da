// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { readSavedViews } from '../../components/saved-views/stored-views.ts';
import { MomentContext } from '../../lib/moment.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId } from '../../testing/samples.ts';
import { findLink, firstSearch, pageOfAnn, press, showUsers, usersPage } from './testing/users-page.tsx';
import type { UsersSearch } from './users-search.ts';

test('filters of the URL become filters of the API, and chips that remove them', async () => {
  const search = vi.fn(async () => pageOfAnn(null));
  const filters = { method: 'password,google', verified: 'no', team: 't1', active: 'over-30d', country: 'SE' };
  const { visited } = showUsers({ search }, { ...firstSearch, ...filters, order: 'active', cursor: annId });
  await findLink('Ann Achebe');
  expect(search).toHaveBeenCalledWith(
    expect.objectContaining({
      methods: ['password', 'google'],
      isVerified: false,
      isRestricted: undefined,
      teamId: 't1',
      countryCodes: ['SE'],
      activeFrom: undefined,
      activeUntil: expect.any(Date),
      orderBy: 'lastActiveAt',
      desc: true,
    }),
  );
  expect(await screen.findByText('In team Editors')).toBeTruthy();
  expect(screen.getByText('Signs in with Password or Google')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Remove filter: Not active for 30 days' }));
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(visited).toEqual([
    '/projects/p1/users?order=active&method=password%2Cgoogle&verified=no&team=t1&country=SE',
    '/projects/p1/users?order=active',
  ]);
});

test('in the past, periods end at the time that is shown', async () => {
  const search = vi.fn(async () => pageOfAnn(null));
  const day = 86_400_000;
  renderPage(
    <MomentContext value={{ value: String(100 * day), set: () => {} }}>
      {usersPage({ search }, { ...firstSearch, active: '30d' })}
    </MomentContext>,
  );
  await findLink('Ann Achebe');
  expect(search).toHaveBeenCalledWith(expect.objectContaining({ activeFrom: new Date(70 * day) }));
});

test('a filter is chosen in the menu', async () => {
  const { visited } = showUsers({ search: async () => pageOfAnn(null) });
  fireEvent.click(screen.getByRole('button', { name: 'Filter' }));
  fireEvent.click(await screen.findByLabelText('Restriction', { selector: 'input' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Restricted' }));
  expect(visited).toEqual(['/projects/p1/users?restricted=yes']);
});

test('filters and order are saved as a view of this list, without the page', async () => {
  const search: UsersSearch = { ...firstSearch, verified: 'no', order: 'active', cursor: 'c2' };
  const { visited } = showUsers({ search: async () => pageOfAnn(null) }, search);
  await press('Saved views');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Save this view' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save this view' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Not verified' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save view' }));
  const saved = [{ name: 'Not verified', query: '?order=active&verified=no' }];
  await vi.waitFor(() => expect(readSavedViews('users', 'p1')).toEqual(saved));
  expect(readSavedViews('audit', 'p1')).toEqual([]);
  await press('Saved views');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Not verified' }));
  expect(visited).toEqual(['/projects/p1/users?order=active&verified=no']);
});

test('an empty list of the past does not explain how users appear', async () => {
  renderPage(
    <MomentContext value={{ value: '1', set: () => {} }}>
      {usersPage({ search: async () => ({ items: [], nextCursor: null }) }, firstSearch)}
    </MomentContext>,
  );
  const title = await screen.findByRole('heading', { name: 'No users at this time' });
  expect(title.parentElement?.textContent).toBe('No users at this time');
});
