// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { sampleUser } from '../../testing/samples.ts';
import { EditUserDialog } from './edit-user-dialog.tsx';

test('saves only what was edited, though somebody else changed the user meanwhile', async () => {
  const update = vi.fn(async () => {});
  const dialog = (user = sampleUser()) => <EditUserDialog isOpen onClose={() => {}} user={user} update={update} />;
  const { rerender } = renderPage(dialog());
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Ann B.' } });
  rerender(dialog(sampleUser({ primaryEmail: 'ann@new.example', primaryEmailVerified: false })));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ displayName: 'Ann B.' }));
});
