// @vitest-environment happy-dom
import type { SetupClient } from '@gatebook/js/admin';
import { AnswerError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { SetupPage } from './setup-page.tsx';

function show(setup: SetupClient, token: string | null = 'abc', onDone = () => {}) {
  return renderPage(<SetupPage setup={setup} token={token} signInHref="/sign-in" onDone={onDone} />);
}

async function fillIn(): Promise<void> {
  fireEvent.change(await screen.findByLabelText('Your name'), { target: { value: ' Ann ' } });
  fireEvent.change(screen.getByLabelText('Email'), { target: { value: 'ann@example.com' } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'right horse' } });
  fireEvent.click(screen.getByRole('button', { name: 'Create owner account' }));
}

test('a valid setup link creates the first owner', async () => {
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

test('the setup form is hidden while the link is checked', () => {
  show({ check: () => pending<boolean>(), complete: never });
  expect(screen.getByRole('status', { name: 'Checking your link' })).toBeTruthy();
  expect(screen.queryByLabelText('Email')).toBeNull();
});

test('a used setup link shows an explanation instead of the form', async () => {
  show({ check: async () => false, complete: never });
  expect(await screen.findByRole('heading', { name: 'This link has already been used' })).toBeTruthy();
  expect(screen.queryByLabelText('Email')).toBeNull();
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeTruthy();
});

test('a setup link that was used in the meantime is rejected with an explanation', async () => {
  const complete = async () => {
    throw new AnswerError('http://gatebook.test', 400, 'The setup link is invalid, or setup is already complete.');
  };
  show({ check: async () => true, complete });
  await fillIn();
  expect((await screen.findByRole('alert')).textContent).toContain('restart Gatebook');
});

test('a setup link without its code is reported as incomplete', () => {
  show({ check: never, complete: never }, null);
  expect(screen.getByRole('heading', { name: 'This link is incomplete' })).toBeTruthy();
});
