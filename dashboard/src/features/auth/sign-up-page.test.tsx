// @vitest-environment happy-dom
import { KnownError } from '@gatebook/sdk/errors';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { SignUpPage } from './sign-up-page.tsx';

const rest = { signInHref: '/sign-in', verificationCallbackUrl: 'http://gate.test/handler/email-verification' };

function fillIn(email: string, password: string): void {
  fireEvent.change(screen.getByLabelText('E-mail'), { target: { value: email } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign up' }));
}

test('where sign-up is closed there is no form', () => {
  renderPage(<SignUpPage auth={{ signUpWithPassword: never }} isOpen={false} onSignedUp={() => {}} {...rest} />);
  expect(screen.getByRole('heading', { name: 'Sign-up is closed' })).toBeTruthy();
  expect(screen.queryByLabelText('E-mail')).toBeNull();
});

test('an account is made with the callback that its verification mail needs', async () => {
  const signUpWithPassword = vi.fn(async () => {});
  const onSignedUp = vi.fn();
  renderPage(<SignUpPage auth={{ signUpWithPassword }} isOpen onSignedUp={onSignedUp} {...rest} />);
  fillIn('ann@example.com', 'right horse');
  await vi.waitFor(() => expect(onSignedUp).toHaveBeenCalledOnce());
  expect(signUpWithPassword).toHaveBeenCalledWith({
    email: 'ann@example.com',
    password: 'right horse',
    verificationCallbackUrl: rest.verificationCallbackUrl,
  });
});

test('a taken address is said at its field', async () => {
  const onSignedUp = vi.fn();
  const signUpWithPassword = async () => {
    throw new KnownError('USER_EMAIL_ALREADY_EXISTS', 409, 'text of the server');
  };
  renderPage(<SignUpPage auth={{ signUpWithPassword }} isOpen onSignedUp={onSignedUp} {...rest} />);
  fillIn('ann@example.com', 'right horse');
  expect(await screen.findByText(/signs in with this address already/)).toBeTruthy();
  expect(onSignedUp).not.toHaveBeenCalled();
});

test('a short password is not sent', async () => {
  renderPage(<SignUpPage auth={{ signUpWithPassword: never }} isOpen onSignedUp={() => {}} {...rest} />);
  fillIn('ann@example.com', 'short');
  expect(await screen.findByText('Use at least 8 characters')).toBeTruthy();
});
