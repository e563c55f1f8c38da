// @vitest-environment happy-dom
import { useAction } from '@gatebook/react';
import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { DialogForm } from './dialog-form.tsx';

function Form({ call, onDone }: { call: () => Promise<unknown>; onDone: () => void }) {
  const action = useAction(call);
  return (
    <DialogForm action={action} submitLabel="Save" onDone={onDone} onClose={() => {}}>
      <input aria-label="Name" />
    </DialogForm>
  );
}
const save = () => act(async () => fireEvent.click(screen.getByRole('button', { name: 'Save' })));

test('a form is done when its action has succeeded, not when it failed or shows why itself', async () => {
  const onDone = vi.fn();
  const call = vi.fn<() => Promise<unknown>>();
  renderPage(<Form call={call} onDone={onDone} />);
  call.mockRejectedValueOnce(new Error('rejected')).mockResolvedValueOnce(false);
  await save();
  await save();
  expect(onDone).not.toHaveBeenCalled();
  call.mockResolvedValueOnce(undefined);
  await save();
  expect(onDone).toHaveBeenCalledOnce();
});

test('a form that was closed meanwhile is not done, so that it does not close the next one', async () => {
  const onDone = vi.fn();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { rerender } = renderPage(<Form call={() => promise} onDone={onDone} />);
  await save();
  rerender(null);
  await act(async () => resolve());
  expect(onDone).not.toHaveBeenCalled();
});
