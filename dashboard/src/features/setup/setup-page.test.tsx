// @vitest-environment happy-dom
import { AnswerError } from '@gatebook/js/errors';
import type { SetupClient } from '@gatebook/js/setup';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, open, renderPage } from '../../testing/render.tsx';
import { SetupPage } from './setup-page.tsx';

function show(setup: SetupClient, token: string | null = 'abc', onDone = () => {}) {
  return renderPage(<SetupPage setup={setup} token={token} signInHref="/sign-in" onDone={onDone} />);
}

async function fillIn(): Promise<void> {
  fireEvent.change(await screen.findByLabelText('Your name'), { target: { value: ' Ann ' } });
  fireEvent.change(screen.getByLabelText('E-mail'), { target: { value: 'ann@example.com' } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'right horse' } });
  fireEvent.click(screen.getByRole('button', { name: 'Open the gate' }));
}

test('a good link makes the first owner', async () => {
  const complete = vi.fn(async () => {});
  const onDone = vi.fn();
  show({ check: async () => true, complete }, 'abc', onDone);
  await fillIn();
  await vi.waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  expect(complete).toHaveBeenCalledWith({
    token: 'abc',
    email: 'ann@example.com',
    password: 'right horse',
    displayName: 'Ann',
  });
});

test('while the link is looked at there is no form yet', () => {
  show({ check: () => open<boolean>().promise, complete: never });
  expect(screen.getByRole('status', { name: 'Looking at your link' })).toBeTruthy();
  expect(screen.queryByLabelText('E-mail')).toBeNull();
});

test('a used link asks for nothing, and says what to do', async () => {
  show({ check: async () => false, complete: never });
  expect(await screen.findByRole('heading', { name: 'This link is used up' })).toBeTruthy();
  expect(screen.queryByLabelText('E-mail')).toBeNull();
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeTruthy();
});

test('a link that somebody else used meanwhile is rejected in words', async () => {
  const complete = async () => {
    throw new AnswerError('http://gate.test', 400, 'This set-up link is not valid, or the set-up is done already.');
  };
  show({ check: async () => true, complete });
  await fillIn();
  expect((await screen.findByRole('alert')).textContent).toContain('start Gatebook again');
});

test('an address without the code says that it is not whole', () => {
  show({ check: never, complete: never }, null);
  expect(screen.getByRole('heading', { name: 'This link is not whole' })).toBeTruthy();
});
