// @vitest-environment happy-dom
import type { Team, TeamsClient } from '@gatebook/js/teams';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noTeams } from '../../testing/clients.ts';
import { open, renderPage } from '../../testing/render.tsx';
import { sampleTeam } from '../../testing/samples.ts';
import { TeamsPage } from './teams-page.tsx';

const show = (teams: Partial<TeamsClient>) =>
  renderPage(<TeamsPage teams={{ ...noTeams, ...teams }} projectId="p1" projectName="Acme" />);

test('loading', () => {
  show({ list: () => open<Team[]>().promise });
  expect(screen.getByRole('status', { name: 'Loading teams' })).toBeTruthy();
});

test('an error can be tried again', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue([]);
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'No teams yet' })).toBeTruthy();
});

test('teams are listed newest first, and found by name or id', async () => {
  show({ list: async () => [sampleTeam(), sampleTeam({ id: 't2', displayName: 'Writers' })] });
  const links = await screen.findAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual(['Writers', 'Editors']);
  expect(links[0]?.getAttribute('href')).toBe('/projects/p1/teams/t2');
  const search = screen.getByRole('textbox', { name: 'Search teams' });
  fireEvent.change(search, { target: { value: 'edit' } });
  expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['Editors']);
  fireEvent.change(search, { target: { value: 't2' } });
  expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['Writers']);
  fireEvent.change(search, { target: { value: 'nothing' } });
  expect(screen.getByText('No team has this name or id.')).toBeTruthy();
});

test('of very many teams the newest are shown, and that there are more', async () => {
  const many = Array.from({ length: 201 }, (_, nth) => sampleTeam({ id: `t${nth}`, displayName: `Team ${nth}` }));
  show({ list: async () => many });
  expect(await screen.findByText('The newest 200 of 201 teams. Search for the others.')).toBeTruthy();
  expect(screen.getAllByRole('link')).toHaveLength(200);
  fireEvent.change(screen.getByRole('textbox', { name: 'Search teams' }), { target: { value: 'Team 0' } });
  expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['Team 0']);
  expect(screen.queryByText(/Search for the others/)).toBeNull();
});

test('a new team is opened', async () => {
  const create = vi.fn(async () => sampleTeam({ id: 't9' }));
  const { went } = show({ list: async () => [], create });
  fireEvent.click((await screen.findAllByRole('button', { name: 'New team' }))[0] as HTMLElement);
  const form = await screen.findByRole('dialog', { name: 'New team' });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  expect(await within(form).findByText(/Enter a name/)).toBeTruthy();
  fireEvent.change(within(form).getByLabelText('Name'), { target: { value: ' Crew ' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Create team' }));
  await vi.waitFor(() => expect(went).toEqual(['/projects/p1/teams/t9']));
  expect(create).toHaveBeenCalledWith({ displayName: 'Crew' });
});
