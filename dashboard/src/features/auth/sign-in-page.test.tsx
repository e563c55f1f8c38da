// @vitest-environment happy-dom
import { KnownError } from '@gatebook/sdk/errors';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { SignInPage } from './sign-in-page.tsx';

function fillIn(email: string, password: string): void {
  fireEvent.change(screen.getByLabelText('E-mail'), { target: { value: email } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

test('the right e-mail and password lead in', async () => {
  const signInWithPassword = vi.fn(async () => {});
  const onSignedIn = vi.fn();
  renderPage(<SignInPage auth={{ signInWithPassword }} signUpHref={null} onSignedIn={onSignedIn} />);
  expect(document.title).toBe('Sign in · Gatebook');
  fillIn(' ann@example.com ', ' right horse ');
  await vi.waitFor(() => expect(onSignedIn).toHaveBeenCalledOnce());
  expect(signInWithPassword).toHaveBeenCalledWith({ email: 'ann@example.com', password: ' right horse ' });
});

test('wrong ones are said in words, and nobody is led in', async () => {
  const onSignedIn = vi.fn();
  const signInWithPassword = async () => {
    throw new KnownError('EMAIL_PASSWORD_MISMATCH', 400, 'text of the server');
  };
  renderPage(<SignInPage auth={{ signInWithPassword }} signUpHref={null} onSignedIn={onSignedIn} />);
  fillIn('ann@example.com', 'wrong');
  expect((await screen.findByRole('alert')).textContent).toContain('do not fit together');
  expect(onSignedIn).not.toHaveBeenCalled();
});

test('faults are shown at their fields before anything is sent', async () => {
  renderPage(<SignInPage auth={{ signInWithPassword: never }} signUpHref={null} onSignedIn={() => {}} />);
  fillIn('ann', '');
  expect(await screen.findByText(/whole e-mail address/)).toBeTruthy();
  expect(screen.getByText('Enter your password')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('sign-up is offered only where it is open', () => {
  const { show } = renderPage(
    <SignInPage auth={{ signInWithPassword: never }} signUpHref="/sign-up" onSignedIn={() => {}} />,
  );
  expect(screen.getByRole('link', { name: 'Sign up' }).getAttribute('href')).toBe('/sign-up');
  show(<SignInPage auth={{ signInWithPassword: never }} signUpHref={null} onSignedIn={() => {}} />);
  expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
});
