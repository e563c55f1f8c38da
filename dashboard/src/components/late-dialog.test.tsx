// @vitest-environment happy-dom
import { Button } from '@mantine/core';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { NoticeContext } from '../lib/notices.ts';
import { renderPage } from '../testing/render.tsx';
import { lateDialog } from './late-dialog.tsx';
import { LateMenu } from './late-menu.tsx';

type Props = { isOpen: boolean; onClose: () => void };
const Question = ({ isOpen }: Props) => (isOpen ? <p>Really?</p> : null);
const ignore = (): void => {};

test('the code of a dialog is loaded when the dialog opens', async () => {
  const load = vi.fn(async () => Question);
  const Dialog = lateDialog(load);
  const { rerender } = renderPage(<Dialog isOpen={false} onClose={ignore} />);
  expect(load).not.toHaveBeenCalled();
  rerender(<Dialog isOpen onClose={ignore} />);
  expect(await screen.findByText('Really?')).toBeTruthy();
  expect(load).toHaveBeenCalledOnce();
});

test('a dialog whose code can’t be loaded closes with a notice, and is loaded when it opens again', async () => {
  const load = vi.fn<() => Promise<typeof Question>>(async () => Question);
  load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'));
  const Dialog = lateDialog(load);
  const notify = vi.fn();
  const onClose = vi.fn();
  const dialog = (isOpen: boolean) => (
    <NoticeContext value={notify}>
      <Dialog isOpen={isOpen} onClose={onClose} />
    </NoticeContext>
  );
  const { rerender } = renderPage(dialog(true));
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(notify).toHaveBeenCalledExactlyOnceWith(expect.any(String));
  rerender(dialog(false));
  rerender(dialog(true));
  expect(await screen.findByText('Really?')).toBeTruthy();
});

test('a menu opens with the first click, and closes with the second', async () => {
  renderPage(<LateMenu button={<Button>More</Button>}>{(Menu) => <Menu.Item>Delete</Menu.Item>}</LateMenu>);
  const button = screen.getByRole('button', { name: 'More' });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(button);
  expect(await screen.findByRole('menuitem', { name: 'Delete' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'More', hidden: true }));
  await vi.waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull());
});
