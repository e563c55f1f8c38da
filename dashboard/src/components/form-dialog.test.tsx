// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createUnsavedChanges, UnsavedContext } from '../lib/unsaved.ts';
import { renderPage } from '../testing/render.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { FormDialog } from './form-dialog.tsx';

function open(isRunning = false) {
  const unsaved = createUnsavedChanges();
  const onClose = vi.fn();
  const dialog = (isSubmitted: boolean) => (
    <UnsavedContext value={unsaved}>
      <FormDialog opened onClose={onClose} title="Create team">
        <input aria-label="Name" />
        <DialogButtons action={{ isRunning: isSubmitted, error: undefined }} submitLabel="Create" onClose={onClose} />
      </FormDialog>
    </UnsavedContext>
  );
  const view = renderPage(dialog(isRunning));
  return { unsaved, onClose, submit: () => view.rerender(dialog(true)) };
}
const pressEscape = () => fireEvent.keyDown(screen.getByLabelText('Name'), { key: 'Escape' });
const typeName = () => fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Editors' } });

test('a dialog closes at once while nothing is typed', async () => {
  const { onClose } = open();
  await screen.findByRole('dialog');
  pressEscape();
  expect(onClose).toHaveBeenCalledOnce();
});

test('a dialog with something typed asks before it closes', async () => {
  const { onClose, unsaved } = open();
  await screen.findByRole('dialog');
  typeName();
  expect(unsaved.question()).not.toBeNull();
  pressEscape();
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.click(await screen.findByRole('button', { name: 'Keep editing' }));
  pressEscape();
  fireEvent.click(await screen.findByRole('button', { name: 'Discard and close' }));
  expect(onClose).toHaveBeenCalledOnce();
});

test('a dialog that is submitted can leave the page', async () => {
  const { unsaved, submit } = open();
  await screen.findByRole('dialog');
  typeName();
  submit();
  expect(unsaved.question()).toBeNull();
});
