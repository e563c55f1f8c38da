// @vitest-environment happy-dom

import { AnswerError, KnownError } from '@gatebook/js/errors';
import { commonPasswordText } from '@gatebook/js/validation';
import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { ann, answers, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

/** Time enough for a page that would call the server by itself. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the link of a verification mail', () => {
  test('confirms the address at the press of a button, not before', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail } });
    await title('Is this your address?');
    await settle();
    expect(verifyEmail).not.toHaveBeenCalled();
    await press('Confirm my address');
    await title('Your address is confirmed');
    expect(verifyEmail).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks somebody who is not signed in to sign in first, and come back', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', auth: { verifyEmail } });
    await title('Is this your address?');
    screen.getByText(/removes its password and signs it out everywhere/);
    const target = screen.getByRole('link', { name: 'Sign in and confirm' }).getAttribute('href') ?? '';
    expect(new URL(target, 'http://localhost').searchParams.get('after_auth_return_to')).toContain('code=c1');
    expect(verifyEmail).not.toHaveBeenCalled();
  });

  test('offers a new password after confirming without signing in', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', auth: { verifyEmail } });
    await press('Confirm without signing in');
    await title('Your address is confirmed');
    expect(verifyEmail).toHaveBeenCalledExactlyOnceWith('c1');
    screen.getByRole('link', { name: 'Set a new password' });
  });

  test('counts as done when it was used already', async () => {
    const verifyEmail = rejected('VERIFICATION_CODE_ALREADY_USED');
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail } });
    await press('Confirm my address');
    await title('Your address is confirmed');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is not valid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail: rejected(code) } });
    await press('Confirm my address');
    await title(name);
  });

  test('is not whole without a code', async () => {
    showPage({ path: 'email-verification' });
    await title('This link is not valid');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the link of a sign-in mail', () => {
  test('signs in at the press of a button, not before', async () => {
    const signInWithCode = answers({ isNewUser: false });
    const { went } = showPage({
      path: 'magic-link-callback?code=c1&after_auth_return_to=/deep',
      auth: { signInWithCode },
    });
    await title('Sign in to Acme Shop?');
    await settle();
    expect(signInWithCode).not.toHaveBeenCalled();
    await press('Sign in');
    await vi.waitFor(() => expect(went).toEqual(['instead /deep']));
    expect(signInWithCode).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks for the second factor where there is one', async () => {
    const signInWithCode = rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'attempt' });
    const signInWithSecondFactor = answers({ isNewUser: true });
    const { went } = showPage({
      path: 'magic-link-callback?code=c1',
      auth: { signInWithCode, signInWithSecondFactor },
      urls: { afterSignUp: '/welcome' },
    });
    await press('Sign in');
    await title('One more step');
    fill('Code from your authenticator app', '123456');
    await vi.waitFor(() => expect(went).toEqual(['instead /welcome']));
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is not valid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link was used already'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path: 'magic-link-callback?code=c1', auth: { signInWithCode: rejected(code) } });
    await press('Sign in');
    await title(name);
  });

  test('is nothing for somebody who is signed in', async () => {
    showPage({ path: 'magic-link-callback?code=c1', user: ann });
    await title('You are signed in');
    screen.getByText('Ann Achebe');
  });
});

describe('a forgotten password', () => {
  test.each([
    ['an account', answers(undefined)],
    ['no account', rejected('USER_NOT_FOUND')],
  ])('ends the same for an address with %s', async (_name, sendPasswordResetCode) => {
    showPage({ path: 'forgot-password', auth: { sendPasswordResetCode } });
    await title('Forgot your password?');
    fill('E-mail', 'ann@example.com');
    await press('Mail me a link');
    await title('Check your mail');
    screen.getByText(/If there is an account/);
  });

  test('says when no mail could be asked for', async () => {
    showPage({ path: 'forgot-password', auth: { sendPasswordResetCode: rejected('REDIRECT_URL_NOT_WHITELISTED') } });
    await title('Forgot your password?');
    fill('E-mail', 'ann@example.com');
    await press('Mail me a link');
    await screen.findByRole('alert');
  });

  test('is nothing for somebody who is signed in', async () => {
    showPage({ path: 'forgot-password', user: ann });
    await title('You are signed in');
  });
});

describe('the link of a reset mail', () => {
  const path = 'password-reset?code=c1';
  const checkPasswordResetCode = answers(undefined);

  test('sets the password and leads to signing in, not back here', async () => {
    const resetPassword = answers(undefined);
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'short');
    fill('Repeat the password', 'other');
    await press('Set this password');
    expect((await screen.findAllByRole('alert')).length).toBe(2);
    fill('New password', 'new horse');
    fill('Repeat the password', 'new horse');
    await press('Set this password');
    await title('Your password is changed');
    expect(resetPassword).toHaveBeenCalledExactlyOnceWith({ code: 'c1', password: 'new horse' });
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is not valid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link was used already'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, auth: { checkPasswordResetCode: rejected(code) } });
    await title(name);
  });

  test('says at the field that a password is a common one, and keeps the link', async () => {
    const common = new KnownError('SCHEMA_ERROR', 400, commonPasswordText, { message: commonPasswordText });
    const resetPassword = vi.fn(async () => Promise.reject(common));
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'password123');
    fill('Repeat the password', 'password123');
    await press('Set this password');
    expect((await screen.findByRole('alert')).textContent).toBe(commonPasswordText);
    await title('Set a new password');
  });

  test('says when it was used meanwhile', async () => {
    const resetPassword = rejected('VERIFICATION_CODE_ALREADY_USED');
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'new horse');
    fill('Repeat the password', 'new horse');
    await press('Set this password');
    await title('This link was used already');
  });
});

describe('the link of a security notice', () => {
  const path = 'report-activity?code=c1';

  test.each([
    [true, /We sent you an email with a link to choose a new one/],
    [false, /check your email addresses and sign-in methods/],
  ])('signs out everywhere at the press of a button, not before (reset email: %s)', async (isResetEmailSent, text) => {
    const reportActivity = answers({ isResetEmailSent });
    showPage({ path, auth: { reportActivity } });
    await title('Secure your account?');
    await settle();
    expect(reportActivity).not.toHaveBeenCalled();
    await press('Sign out everywhere');
    await title('Your account is secured');
    expect(screen.getByText(text)).toBeTruthy();
    expect(reportActivity).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is not valid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link was used already'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, auth: { reportActivity: rejected(code) } });
    await press('Sign out everywhere');
    await title(name);
  });

  test('without its code is not valid', async () => {
    showPage({ path: 'report-activity' });
    await title('This link is not valid');
  });
});

describe('the link of a command line', () => {
  const path = 'cli-auth-confirm?login_code=abcdefghjkmnp7k3m2x';

  test('shows what is approved, and gives the session at the press of a button', async () => {
    const complete = vi.fn(async () => {});
    showPage({ path, user: ann, complete });
    await title('Approve a terminal login?');
    for (const text of ['Acme Shop', 'p1', 'Ann Achebe', 'ann@example.com', '7k3m2x']) screen.getAllByText(text);
    await settle();
    expect(complete).not.toHaveBeenCalled();
    await press('Approve');
    await title('Your terminal is signed in');
    expect(complete).toHaveBeenCalledExactlyOnceWith({ loginCode: 'abcdefghjkmnp7k3m2x', refreshToken: 'r1' });
  });

  test('gives nothing when it is cancelled', async () => {
    const complete = vi.fn(async () => {});
    showPage({ path, user: ann, complete });
    await press('Cancel');
    await title('Login cancelled');
    expect(complete).not.toHaveBeenCalled();
  });

  test('says why it failed, and can be tried again', async () => {
    const complete = async () => {
      throw new AnswerError('u', 400, 'The login code has expired.');
    };
    showPage({ path, user: ann, complete });
    await press('Approve');
    await title('This did not work');
    screen.getByText('The login code has expired.');
    await press('Try again');
    await title('Approve a terminal login?');
  });

  test('leads to signing in first, and back with its code', async () => {
    const { went } = showPage({ path });
    await vi.waitFor(() =>
      expect(went).toEqual([`instead /handler/sign-in?after_auth_return_to=${encodeURIComponent(`/handler/${path}`)}`]),
    );
  });

  test('is not whole without a code', async () => {
    showPage({ path: 'cli-auth-confirm', user: ann });
    await title('This link is not valid');
  });
});

describe('the link of an invitation to a team', () => {
  const path = 'team-invitation?code=c1';

  test('names the team, and joins it at the press of a button, not before', async () => {
    const [check, find, accept] = [answers(undefined), answers({ teamDisplayName: 'Editors' }), answers(undefined)];
    showPage({ path, user: ann, invitations: { check, find, accept } });
    await title('Join Editors?');
    await settle();
    expect(accept).not.toHaveBeenCalled();
    expect(check).toHaveBeenCalledExactlyOnceWith('c1');
    expect(find).toHaveBeenCalledExactlyOnceWith('c1');
    await press('Join the team');
    await title('You are in Editors');
    expect(accept).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks to sign in first, and comes back here', async () => {
    showPage({ path });
    await title('You are invited to a team');
    const link = screen.getByRole('link', { name: 'Sign in' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain('/handler/team-invitation?code=c1');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is not valid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link was used already'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, user: ann, invitations: { check: rejected(code) } });
    await title(name);
  });

  test('that fails at joining says so; without a code it is not whole', async () => {
    const find = answers({ teamDisplayName: 'Editors' });
    showPage({
      path,
      user: ann,
      invitations: { check: answers(undefined), find, accept: rejected('UNSUPPORTED_ERROR') },
    });
    await press('Join the team');
    await title('Something went wrong');
    showPage({ path: 'team-invitation', user: ann });
    await title('This link is not valid');
  });
});
