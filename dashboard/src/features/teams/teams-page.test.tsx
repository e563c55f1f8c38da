// @vitest-environment happy-dom
import type { Team, TeamsClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noTeams } from '../../testing/clients.ts';
import { pending, renderPage } from '../../testing/render.tsx';
import { sampleTeam } from '../../testing/samples.ts';
import { TeamsPage } from './teams-page.tsx';

const show = (teams: Partial<TeamsClient>) =>
  renderPage(<TeamsPage teams={{ ...noTeams, ...teams }} projectId="p1" projectName="Acme" />);

const teamLinks = () =>
  screen.getAllByRole('link').filter((link) => link.getAttribute('href')?.startsWith('/projects/p1/teams/'));

test('shows a loading state', () => {
  show({ list: () => pending<Team[]>() });
  expect(screen.getByRole('status', { name: 'Loading teams' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([]);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No teams yet' })).toBeTruthy();
});

test('teams are listed newest first and can be searched by name or ID', async () => {
  show({ list: async () => [sampleTeam(), sampleTeam({ id: 't2', displayName: 'Writers' })] });
  await screen.findByText('Writers');
  const links = teamLinks();
  expect(links.map((link) => link.textContent)).toEqual(['Writers', 'Editors']);
  expect(links[0]?.getAttribute('href')).toBe('/projects/p1/teams/t2');
  const search = screen.getByRole('textbox', { name: 'Search teams' });
  fireEvent.change(search, { target: { value: 'edit' } });
  expect(teamLinks().map((link) => link.textContent)).toEqual(['Editors']);
  fireEvent.change(search, { target: { value: 't2' } });
  expect(teamLinks().map((link) => link.textContent)).toEqual(['Writers']);
  fireEvent.change(search, { target: { value: 'nothing' } });
  expect(screen.getByText('No teams found')).toBeTruthy();
});

test('a long list of teams is cut off with a hint to search', async () => {
  const many = Array.from({ length: 201 }, (_, nth) => sampleTeam({ id: `t${nth}`, displayName: `Team ${nth}` }));
  show({ list: async () => many });
  expect(await screen.findByText('Showing the newest 200 of 201 teams. Search to find the others.')).toBeTruthy();
  expect(teamLinks()).toHaveLength(200);
  fireEvent.change(screen.getByRole('textbox', { name: 'Search teams' }), { target: { value: 'Team 0' } });
  expect(teamLinks().map((link) => link.textContent)).toEqual(['Team 0']);
  expect(screen.queryByText(/Search to find the others/)).toBeNull();
});

test('a new team is opened after it is created', async () => {
  const create = vi.fn(async () => sampleTeam({ id: 't9' }));
  const { visited } = show({ list: async () => [], create });
  fireEvent.click((await screen.findAllByRole('button', { name: 'Create team' }))[0] as HTMLElement);
  const form = await screen.findByRole('dialog', { name: 'Create team' });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  expect(await within(form).findByText(/Enter a name/)).toBeTruthy();
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: ' Crew ' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/teams/t9']));
  expect(create).toHaveBeenCalledWith({ displayName: 'Crew' });
});
