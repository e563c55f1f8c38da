// @vitest-environment happy-dom
import { Menu } from '@mantine/core';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { renderPage } from '../testing/render.tsx';
import { returnFocus } from './return-focus.ts';

let stop = (): void => {};
beforeEach(() => {
  stop = returnFocus();
});
afterEach(() => stop());

/** Rows with a menu each. `Delete` removes the row together with its dialog. */
function Rows({ names }: { names: readonly string[] }) {
  const [left, setLeft] = useState(names);
  return (
    <main>
      <h1>Users</h1>
      <ul>
        {left.map((name) => (
          <Row key={name} name={name} remove={() => setLeft(left.filter((other) => other !== name))} />
        ))}
      </ul>
    </main>
  );
}
function Row({ name, remove }: { name: string; remove: () => void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <li>
      <Menu>
        <Menu.Target>
          <button type="button">Actions of {name}</button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsking(true)}>Delete</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete?"
        confirmLabel="Confirm"
        onConfirm={async () => remove()}
      >
        Gone.
      </ConfirmDialog>
    </li>
  );
}

async function openDialog(name: string): Promise<void> {
  const button = screen.getByText(`Actions of ${name}`);
  act(() => button.focus());
  fireEvent.click(button);
  const item = await screen.findByRole('menuitem', { name: 'Delete' });
  act(() => item.focus());
  fireEvent.click(item);
  await screen.findByRole('dialog');
  const cancel = await screen.findByRole('button', { name: 'Cancel' });
  act(() => cancel.focus());
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
}
const expectFocusOn = (text: string) => waitFor(() => expect(document.activeElement?.textContent).toBe(text));

test('a dialog that was opened from a menu returns the focus to the menu’s button', async () => {
  renderPage(<Rows names={['Ann', 'Bo']} />);
  await openDialog('Ann');
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await expectFocusOn('Actions of Ann');
});

test('the focus moves to the next row when its row is deleted', async () => {
  renderPage(<Rows names={['Ann', 'Bo']} />);
  await openDialog('Ann');
  fireEvent.click(screen.getByRole('button', { name: 'Confirm' }));
  await expectFocusOn('Actions of Bo');
});

test('the focus moves to the heading when the last row is deleted', async () => {
  renderPage(<Rows names={['Ann']} />);
  await openDialog('Ann');
  fireEvent.click(screen.getByRole('button', { name: 'Confirm' }));
  await expectFocusOn('Users');
});
