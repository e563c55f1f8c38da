// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { MetadataCard } from './metadata-card.tsx';

test('saves only the fields that were edited, though somebody else changed others meanwhile', async () => {
  const update = vi.fn(async () => {});
  const card = (serverMetadata: unknown) => (
    <MetadataCard
      owner={{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata }}
      reader="The user"
      update={update}
    />
  );
  const { rerender } = renderPage(card({ seats: 1 }));
  fireEvent.click(screen.getByRole('button', { name: 'Edit metadata' }));
  fireEvent.change(await screen.findByLabelText('Client metadata'), { target: { value: '{ "a": 1 }' } });
  rerender(card({ seats: 2 }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ clientMetadata: { a: 1 } }));
});
