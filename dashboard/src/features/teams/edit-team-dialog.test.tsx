// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { sampleTeam } from '../../testing/samples.ts';
import { EditTeamDialog } from './edit-team-dialog.tsx';

test('saves only what was edited, though somebody else changed the team meanwhile', async () => {
  const update = vi.fn(async () => {});
  const dialog = (team = sampleTeam()) => <EditTeamDialog isOpen onClose={() => {}} team={team} update={update} />;
  const { rerender } = renderPage(dialog());
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Writers' } });
  rerender(dialog(sampleTeam({ profileImageUrl: 'https://shop.example/new.png' })));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ displayName: 'Writers' }));
});
