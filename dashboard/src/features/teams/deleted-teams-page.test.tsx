// @vitest-environment happy-dom
import type { DeletedTeam, DeletedTeamPage } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { MomentContext } from '../../lib/moment.ts';
import { noTeams } from '../../testing/clients.ts';
import { withPreviews } from '../../testing/previews.tsx';
import { renderPage } from '../../testing/render.tsx';
import { DeletedTeamsPage } from './deleted-teams-page.tsx';

const day = 86_400_000;
const crew = (): DeletedTeam => ({
  ...{ id: 't1', displayName: 'Crew', profileImageUrl: null, createdAt: new Date(0) },
  ...{ deletedAt: new Date(Date.now() - day), erasedAt: new Date(Date.now() + 5.5 * day) },
});
const page = (items = [crew()]): DeletedTeamPage => ({ items, nextCursor: null });
const emptiedAfterwards = () => vi.fn().mockResolvedValueOnce(page()).mockResolvedValue(page([]));

test('a deleted team is shown with the time of the erasure, and restored', async () => {
  const restore = vi.fn(async () => undefined);
  const teams = { ...noTeams, listDeleted: emptiedAfterwards(), restore };
  renderPage(<DeletedTeamsPage teams={teams} projectId="p1" projectName="Acme" />);
  expect(await screen.findAllByText('in 5 days')).toHaveLength(2);
  fireEvent.click(screen.getByRole('button', { name: 'Restore Crew' }));
  expect(await screen.findByRole('heading', { name: 'No deleted teams' })).toBeTruthy();
  expect(restore).toHaveBeenCalledExactlyOnceWith('t1');
});

test('a deleted team is erased after a confirmation', async () => {
  const erase = vi.fn(async () => undefined);
  const teams = { ...noTeams, listDeleted: emptiedAfterwards(), erase };
  renderPage(<DeletedTeamsPage teams={teams} projectId="p1" projectName="Acme" />);
  fireEvent.click(await screen.findByRole('button', { name: 'Erase Crew now' }));
  const dialog = await screen.findByRole('dialog', { name: 'Erase this team now?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Erase team' }));
  expect(await screen.findByRole('heading', { name: 'No deleted teams' })).toBeTruthy();
  expect(erase).toHaveBeenCalledExactlyOnceWith('t1');
});

test('nothing is restored or erased while the dashboard shows the past', async () => {
  const teams = { ...noTeams, listDeleted: async () => page() };
  renderPage(
    <MomentContext value={{ value: '1', set: () => {} }}>
      <DeletedTeamsPage teams={teams} projectId="p1" projectName="Acme" />
    </MomentContext>,
  );
  for (const name of ['Restore Crew', 'Erase Crew now']) {
    const button = await screen.findByRole('button', { name });
    expect(button.closest('fieldset[disabled]')).not.toBeNull();
  }
});

test('an erasure before the end of the grace period is previewed', async () => {
  const teams = { ...noTeams, listDeleted: async () => page() };
  const shown = withPreviews(<DeletedTeamsPage teams={teams} projectId="p1" projectName="Acme" />);
  renderPage(shown.page);
  fireEvent.click(await screen.findByRole('button', { name: 'Erase Crew now' }));
  expect(await screen.findByText('Ends 3 sessions')).toBeTruthy();
  expect(shown.previewed).toEqual([{ method: 'POST', path: '/internal/teams/t1/erase' }]);
});
