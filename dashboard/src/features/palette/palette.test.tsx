// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleOverview, sampleTeam, sampleUser } from '../../testing/samples.ts';
import { type OpenPalette, PaletteHost } from './palette-host.tsx';
import { addRecent } from './recent.ts';

beforeEach(() => sessionStorage.clear());

const signOut = vi.fn();
const search = vi.fn(async () => ({ items: [sampleUser()], nextCursor: null }));

const found = <Item extends { displayName: string }>(items: readonly Item[]) =>
  vi.fn(async ({ query = '' }: { query?: string }) => ({
    items: items.filter(({ displayName }) => displayName.toLowerCase().includes(query)),
    nextCursor: null,
  }));
const searchTeams = found([{ ...sampleTeam(), memberCount: 2 }]);
const searchProjects = found([sampleOverview({ id: 'p2', displayName: 'Bakery' })]);

function Frame() {
  const [open, setOpen] = useState<OpenPalette>(null);
  return (
    <>
      <main>
        <input type="search" aria-label="Search users" />
      </main>
      <PaletteHost
        path="/projects/p1"
        open={open}
        setOpen={setOpen}
        project={{ id: 'p1', users: { search }, teams: { search: searchTeams } }}
        projects={{ search: searchProjects }}
        pages={[
          { href: '/projects/p1/emails', label: 'Emails' },
          { href: '/projects/p1/members', label: 'Members' },
        ]}
        actions={[{ id: 'sign-out', label: 'Sign out', run: signOut }]}
      />
    </>
  );
}

const press = (key: string, init: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...init });
const field = () => screen.findByRole('combobox', { name: 'Search' });
async function open() {
  const { visited } = renderPage(<Frame />);
  press('k', { ctrlKey: true });
  return { visited, input: await field() };
}
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);

test('Ctrl-K lists what was looked at, pages, actions and projects', async () => {
  addRecent({ href: '/projects/p1/users/u7', label: 'Bo' });
  await open();
  await vi.waitFor(() =>
    expect(options()).toEqual(['Bo', 'Emails', 'Members', 'Sign out', 'Show keyboard shortcuts', 'Bakery']),
  );
});

test.each([
  ['achebe', 'Ann Achebeann@example.com', `/projects/p1/users/${annId}`],
  ['editors', 'Editors', '/projects/p1/teams/t1'],
  ['redirect url', 'DomainsSettings', '/projects/p1/settings/domains'],
  ['invite', 'MembersSettings', '/projects/p1/members'],
  ['bake', 'Bakery', '/projects/p2'],
])('“%s” finds %s', async (text, option, href) => {
  const { visited, input } = await open();
  fireEvent.change(input, { target: { value: text } });
  await vi.waitFor(() => expect(options()).toContain(option));
  const found = screen.getAllByRole('option').find(({ textContent }) => textContent === option);
  if (found) fireEvent.click(found);
  expect(visited).toEqual([href]);
  await vi.waitFor(() => expect(screen.queryByRole('combobox', { name: 'Search' })).toBeNull());
});

test('a setting that is a page too is listed once', async () => {
  const { input } = await open();
  fireEvent.change(input, { target: { value: 'members' } });
  await vi.waitFor(() => expect(options()).toEqual(['Members']));
});

test('Enter chooses nobody who was found for an earlier text', async () => {
  const { visited, input } = await open();
  fireEvent.change(input, { target: { value: 'achebe' } });
  await vi.waitFor(() => expect(options()).toContain('Ann Achebeann@example.com'));
  fireEvent.change(input, { target: { value: 'redirect url' } });
  press('Enter');
  expect(visited).toEqual(['/projects/p1/settings/domains']);
});

test('the arrow keys move through the options, around the ends, and Enter chooses', async () => {
  const { visited, input } = await open();
  const active = () => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent;
  expect(active()).toBe('Emails');
  press('ArrowUp');
  expect(active()).toBe('Bakery');
  press('ArrowDown');
  press('ArrowDown');
  press('ArrowDown');
  expect(active()).toBe('Sign out');
  press('Enter');
  expect(signOut).toHaveBeenCalledOnce();
  expect(visited).toEqual([]);
});

test('nothing found is said', async () => {
  search.mockResolvedValueOnce({ items: [], nextCursor: null });
  const { input } = await open();
  fireEvent.change(input, { target: { value: 'zzz' } });
  expect(await screen.findByText('Nothing matches “zzz”.')).toBeTruthy();
});

test('g and a letter go to a page, / searches the page, and ? lists the shortcuts', async () => {
  const { visited } = renderPage(<Frame />);
  press('u');
  press('g');
  press('u');
  press('g');
  press('h');
  expect(visited).toEqual(['/projects/p1/users', '/projects']);
  press('/');
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search users' }));
  press('?');
  expect(screen.queryByRole('dialog')).toBeNull();
  (document.activeElement as HTMLElement).blur();
  press('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(within(dialog).getByText('Go to Users')).toBeTruthy();
});
