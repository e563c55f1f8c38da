// @vitest-environment happy-dom
import type { SearchTeams, TeamOverview, TeamsClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { MomentContext } from '../../lib/moment.ts';
import { noTeams } from '../../testing/clients.ts';
import { pending, renderPage } from '../../testing/render.tsx';
import { sampleTeam } from '../../testing/samples.ts';
import { TeamsPage } from './teams-page.tsx';
import { readTeamsSearch } from './teams-search.ts';

const overview = (id: string, displayName: string, memberCount = 0): TeamOverview => ({
  ...{ id, displayName, memberCount },
  createdAt: new Date('2026-03-01T10:00:00Z'),
});
const pageOf = (...items: TeamOverview[]) => ({ items, nextCursor: null });

const show = (teams: Partial<TeamsClient>, search: Record<string, string> = {}) =>
  renderPage(
    <TeamsPage teams={{ ...noTeams, ...teams }} projectId="p1" projectName="Acme" search={readTeamsSearch(search)} />,
  );

test('shows a loading state', () => {
  show({ search: () => pending() });
  expect(screen.getByRole('status', { name: 'Loading teams' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const search = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(pageOf());
  show({ search });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No teams yet' })).toBeTruthy();
});

test('teams are shown newest first, with their numbers of members', async () => {
  const search = vi.fn(async () => pageOf(overview('t2', 'Writers', 1_200), overview('t1', 'Editors')));
  show({ search });
  const link = await screen.findByRole('link', { name: 'Writers' });
  expect(link.getAttribute('href')).toBe('/projects/p1/teams/t2');
  expect(screen.getByRole('row', { name: /Writers 1,200/ })).toBeTruthy();
  expect(search).toHaveBeenCalledWith({ query: '', orderBy: 'createdAt', desc: true, limit: 25, cursor: null });
  expect(screen.queryByRole('button', { name: 'Next' })).toMatchObject({ disabled: true });
});

test.each([
  ['most members first', 'newest', 'order=most-members'],
  ['then fewest first', 'most-members', 'order=fewest-members'],
])('a column sorts %s', async (_, order, sorted) => {
  const found = async () => pageOf(overview('t1', 'Editors'));
  const { visited } = show({ search: found }, { query: 'ed', order, cursor: 'c2' });
  fireEvent.click(await screen.findByRole('button', { name: 'Members' }));
  expect(visited).toEqual([`/projects/p1/teams?query=ed&${sorted}`]);
});

test('the search is kept in the URL', async () => {
  const { visited } = show({ search: async () => pageOf(overview('t1', 'Editors')) }, { order: 'name' });
  fireEvent.change(await screen.findByRole('searchbox', { name: 'Search teams' }), { target: { value: ' edit ' } });
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/teams?query=edit&order=name']));
});

test('a search without matches can be cleared', async () => {
  const { visited } = show({ search: async () => pageOf() }, { query: 'nothing' });
  expect(await screen.findByRole('heading', { name: 'No teams found' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all teams' }));
  expect(visited).toEqual(['/projects/p1/teams']);
});

test('the previous page is found by reading backwards', async () => {
  const search = vi.fn(async ({ desc }: SearchTeams) => ({
    items: [overview('t1', 'Editors')],
    nextCursor: desc ? 'c1' : 'c3',
  }));
  const { visited } = show({ search }, { order: 'name', cursor: 'c2' });
  fireEvent.click(await screen.findByRole('button', { name: 'Next' }));
  fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
  await vi.waitFor(() =>
    expect(visited).toEqual(['/projects/p1/teams?order=name&cursor=c3', '/projects/p1/teams?order=name&cursor=c1']),
  );
  expect(search).toHaveBeenLastCalledWith({ query: '', orderBy: 'displayName', desc: true, limit: 25, cursor: 'c2' });
});

test('a new team is opened after it is created', async () => {
  const create = vi.fn(async () => sampleTeam({ id: 't9' }));
  const { visited } = show({ search: async () => pageOf(), create });
  fireEvent.click((await screen.findAllByRole('button', { name: 'Create team' }))[0] as HTMLElement);
  const form = await screen.findByRole('dialog', { name: 'Create team' });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  expect(await within(form).findByText(/Enter a name/)).toBeTruthy();
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: ' Crew ' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/teams/t9']));
  expect(create).toHaveBeenCalledWith({ displayName: 'Crew' });
});

test('an empty list of the past does not offer to create a team', async () => {
  renderPage(
    <MomentContext value={{ value: '1', set: () => {} }}>
      <TeamsPage
        teams={{ ...noTeams, search: async () => pageOf() }}
        projectId="p1"
        projectName="Acme"
        search={readTeamsSearch({})}
      />
    </MomentContext>,
  );
  const title = await screen.findByRole('heading', { name: 'No teams at this time' });
  expect(title.parentElement?.textContent).toBe('No teams at this time');
});
