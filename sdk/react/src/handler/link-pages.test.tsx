// @vitest-environment happy-dom

import { type CurrentUser, commonPasswordText } from '@gatebook/js/core';
import { AnswerError, KnownError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { channel } from './testing/show-account.tsx';
import { ann, answers, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

/** Long enough for a page to call the server on its own. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the verification link', () => {
  test('verifies the address when the button is pressed, not before', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail } });
    await title('Verify your email address');
    await settle();
    expect(verifyEmail).not.toHaveBeenCalled();
    await press('Verify email');
    await title('Email verified');
    expect(verifyEmail).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks signed-out users to sign in first and return', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', auth: { verifyEmail } });
    await title('Verify your email address');
    screen.getByText(/removes the account's password and signs it out everywhere/);
    const target = screen.getByRole('link', { name: 'Sign in and verify' }).getAttribute('href') ?? '';
    expect(new URL(target, 'http://localhost').searchParams.get('after_auth_return_to')).toContain('code=c1');
    expect(verifyEmail).not.toHaveBeenCalled();
  });

  test('offers a new password after verification without sign-in', async () => {
    const verifyEmail = answers(undefined);
    showPage({ path: 'email-verification?code=c1', auth: { verifyEmail } });
    await press('Verify without signing in');
    await title('Email verified');
    expect(verifyEmail).toHaveBeenCalledExactlyOnceWith('c1');
    screen.getByRole('link', { name: 'Set a new password' });
  });

  test('shows success if the code has already been used', async () => {
    const verifyEmail = rejected('VERIFICATION_CODE_ALREADY_USED');
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail } });
    await press('Verify email');
    await title('Email verified');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is invalid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path: 'email-verification?code=c1', user: ann, auth: { verifyEmail: rejected(code) } });
    await press('Verify email');
    await title(name);
  });

  test('is invalid without a code', async () => {
    showPage({ path: 'email-verification' });
    await title('This link is invalid');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the sign-in link', () => {
  test('signs in when the button is pressed, not before', async () => {
    const signInWithCode = answers({ isNewUser: false });
    const { visited } = showPage({
      path: 'magic-link-callback?code=c1&after_auth_return_to=/deep',
      auth: { signInWithCode },
    });
    await title('Sign in to Acme Shop?');
    await settle();
    expect(signInWithCode).not.toHaveBeenCalled();
    await press('Sign in');
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
    expect(signInWithCode).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks for the second factor if one is required', async () => {
    const signInWithCode = rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'attempt' });
    const signInWithSecondFactor = answers({ isNewUser: true });
    const { visited } = showPage({
      path: 'magic-link-callback?code=c1',
      auth: { signInWithCode, signInWithSecondFactor },
      urls: { afterSignUp: '/welcome' },
    });
    await press('Sign in');
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '123456');
    await vi.waitFor(() => expect(visited).toEqual(['replace /welcome']));
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is invalid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link has already been used'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path: 'magic-link-callback?code=c1', auth: { signInWithCode: rejected(code) } });
    await press('Sign in');
    await title(name);
  });

  test('does nothing for signed-in users', async () => {
    showPage({ path: 'magic-link-callback?code=c1', user: ann });
    await title('You are signed in');
    screen.getByText('Ann Achebe');
  });
});

describe('the forgot password page', () => {
  test.each([
    ['an account', answers(undefined)],
    ['no account', rejected('USER_NOT_FOUND')],
  ])('shows the same result for an address with %s', async (_name, sendPasswordResetCode) => {
    showPage({ path: 'forgot-password', auth: { sendPasswordResetCode } });
    await title('Reset your password');
    fill('Email', 'ann@example.com');
    await press('Email me a reset link');
    await title('Check your email');
    screen.getByText(/If an account with this address exists/);
  });

  test('shows why no email was sent', async () => {
    showPage({ path: 'forgot-password', auth: { sendPasswordResetCode: rejected('REDIRECT_URL_NOT_WHITELISTED') } });
    await title('Reset your password');
    fill('Email', 'ann@example.com');
    await press('Email me a reset link');
    await screen.findByRole('alert');
  });

  test('is not shown to signed-in users', async () => {
    showPage({ path: 'forgot-password', user: ann });
    await title('You are signed in');
  });
});

describe('the password reset link', () => {
  const path = 'password-reset?code=c1';
  const checkPasswordResetCode = answers(undefined);

  test('shows how long a password of the project must be, and asks for it', async () => {
    const resetPassword = vi.fn(async () => {});
    showPage({ path, config: { minPasswordLength: 12 }, auth: { checkPasswordResetCode, resetPassword } });
    await screen.findByText('12 to 70 characters');
    fireEvent.change(screen.getByLabelText('New password'), { target: { value: 'eleven char' } });
    fireEvent.click(screen.getByRole('button', { name: 'Set new password' }));
    expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toContain(
      'Use at least 12 characters',
    );
    expect(resetPassword).not.toHaveBeenCalled();
  });

  test('sets the password and links to sign-in, without a return target', async () => {
    const resetPassword = answers(undefined);
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'short');
    fill('Repeat password', 'other');
    await press('Set new password');
    expect((await screen.findAllByRole('alert')).length).toBe(2);
    fill('New password', 'new horse');
    fill('Repeat password', 'new horse');
    await press('Set new password');
    await title('Password changed');
    expect(resetPassword).toHaveBeenCalledExactlyOnceWith({ code: 'c1', password: 'new horse' });
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is invalid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link has already been used'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, auth: { checkPasswordResetCode: rejected(code) } });
    await title(name);
  });

  test('shows a rejected common password at the field and keeps the link usable', async () => {
    const common = new KnownError('SCHEMA_ERROR', 400, commonPasswordText, { message: commonPasswordText });
    const resetPassword = vi.fn(async () => Promise.reject(common));
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'password123');
    fill('Repeat password', 'password123');
    await press('Set new password');
    expect((await screen.findByRole('alert')).textContent).toBe(commonPasswordText);
    await title('Set a new password');
  });

  test('shows if it has been used in the meantime', async () => {
    const resetPassword = rejected('VERIFICATION_CODE_ALREADY_USED');
    showPage({ path, auth: { checkPasswordResetCode, resetPassword } });
    await title('Set a new password');
    fill('New password', 'new horse');
    fill('Repeat password', 'new horse');
    await press('Set new password');
    await title('This link has already been used');
  });
});

describe('the security notice link', () => {
  const path = 'report-activity?code=c1';

  test.each([
    [true, /We emailed you a link to set a new one/],
    [false, /check your email addresses and sign-in methods/],
  ])(
    'signs out everywhere when the button is pressed, not before (reset email: %s)',
    async (isResetEmailSent, text) => {
      const reportActivity = answers({ isResetEmailSent });
      showPage({ path, auth: { reportActivity } });
      await title('Secure your account?');
      await settle();
      expect(reportActivity).not.toHaveBeenCalled();
      await press('Sign out everywhere');
      await title('Your account is secure');
      expect(screen.getByText(text)).toBeTruthy();
      expect(reportActivity).toHaveBeenCalledExactlyOnceWith('c1');
    },
  );

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is invalid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link has already been used'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, auth: { reportActivity: rejected(code) } });
    await press('Sign out everywhere');
    await title(name);
  });

  test('is invalid without a code', async () => {
    showPage({ path: 'report-activity' });
    await title('This link is invalid');
  });
});

describe('the CLI login link', () => {
  const path = 'cli-auth-confirm?login_code=abcdefghjkmnp7k3m2x';

  test('shows what is approved and signs in the CLI when the button is pressed', async () => {
    const complete = vi.fn(async () => {});
    showPage({ path, user: ann, complete });
    await title('Approve CLI login?');
    for (const text of ['Acme Shop', 'p1', 'Ann Achebe', 'ann@example.com', '7k3m2x']) screen.getAllByText(text);
    await settle();
    expect(complete).not.toHaveBeenCalled();
    await press('Approve');
    await title('Your terminal is signed in');
    expect(complete).toHaveBeenCalledExactlyOnceWith({ loginCode: 'abcdefghjkmnp7k3m2x', refreshToken: 'r1' });
  });

  test('signs in nobody when canceled', async () => {
    const complete = vi.fn(async () => {});
    showPage({ path, user: ann, complete });
    await press('Cancel');
    await title('Login canceled');
    expect(complete).not.toHaveBeenCalled();
  });

  test('shows why it failed and can be retried', async () => {
    const complete = async () => {
      throw new AnswerError('u', 400, 'The login code has expired.');
    };
    showPage({ path, user: ann, complete });
    await press('Approve');
    await title('CLI login failed');
    screen.getByText('The login code has expired.');
    await press('Try again');
    await title('Approve CLI login?');
  });

  test('redirects to sign-in first and returns with its code', async () => {
    const { visited } = showPage({ path });
    await vi.waitFor(() =>
      expect(visited).toEqual([
        `replace /handler/sign-in?after_auth_return_to=${encodeURIComponent(`/handler/${path}`)}`,
      ]),
    );
  });

  test('is invalid without a code', async () => {
    showPage({ path: 'cli-auth-confirm', user: ann });
    await title('This link is invalid');
  });
});

describe('the team invitation link', () => {
  const path = 'team-invitation?code=c1';

  test('shows the team and joins it when the button is pressed, not before', async () => {
    const [check, find, accept] = [answers(undefined), answers({ teamDisplayName: 'Editors' }), answers(undefined)];
    showPage({ path, user: ann, invitations: { check, find, accept } });
    await title('Join Editors?');
    await settle();
    expect(accept).not.toHaveBeenCalled();
    expect(check).toHaveBeenCalledExactlyOnceWith('c1');
    expect(find).toHaveBeenCalledExactlyOnceWith('c1');
    await press('Join team');
    await title('You joined Editors');
    expect(accept).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('asks signed-out users to sign in first and return', async () => {
    showPage({ path });
    await title("You've been invited to a team");
    const link = screen.getByRole('link', { name: 'Sign in' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain('/handler/team-invitation?code=c1');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'This link is invalid'],
    ['VERIFICATION_CODE_EXPIRED', 'This link has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'This link has already been used'],
    ['UNSUPPORTED_ERROR', 'Something went wrong'],
  ] as const)('after %s: %s', async (code, name) => {
    showPage({ path, user: ann, invitations: { check: rejected(code) } });
    await title(name);
  });

  test('shows an error if joining fails, and is invalid without a code', async () => {
    const find = answers({ teamDisplayName: 'Editors' });
    showPage({
      path,
      user: ann,
      invitations: { check: answers(undefined), find, accept: rejected('UNSUPPORTED_ERROR') },
    });
    await press('Join team');
    await title('Something went wrong');
    showPage({ path: 'team-invitation', user: ann });
    await title('This link is invalid');
  });
});

describe('the unsubscribe link', () => {
  const path = 'unsubscribe?code=c1';

  test('unsubscribes when the button is pressed, not before', async () => {
    const unsubscribe = answers(undefined);
    showPage({ path, auth: { unsubscribe } });
    await title('Unsubscribe from marketing emails?');
    await settle();
    expect(unsubscribe).not.toHaveBeenCalled();
    await press('Unsubscribe');
    await title('You are unsubscribed');
    expect(unsubscribe).toHaveBeenCalledExactlyOnceWith('c1');
  });

  test('is invalid without a code', async () => {
    showPage({ path: 'unsubscribe' });
    await title('This link is invalid');
  });

  test('is invalid with an unknown code', async () => {
    showPage({ path, auth: { unsubscribe: rejected('VERIFICATION_CODE_NOT_FOUND') } });
    await press('Unsubscribe');
    await title('This link is invalid');
  });
});

describe('the page for the second factor', () => {
  beforeEach(() => sessionStorage.setItem('stack_mfa_attempt_code', 'attempt'));
  afterEach(() => sessionStorage.clear());

  test('finishes the sign-in that waits in this tab, and returns', async () => {
    const signInWithSecondFactor = answers({ isNewUser: false });
    const { visited } = showPage({ path: 'mfa?after_auth_return_to=/deep', auth: { signInWithSecondFactor } });
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '123456');
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
    expect(signInWithSecondFactor).toHaveBeenCalledExactlyOnceWith({ attemptCode: 'attempt', totp: '123456' });
    expect(sessionStorage.getItem('stack_mfa_attempt_code')).toBeNull();
  });

  test('keeps the sign-in after a wrong code, and can start over', async () => {
    const { visited } = showPage({ path: 'mfa', auth: { signInWithSecondFactor: rejected('INVALID_TOTP_CODE') } });
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '123456');
    await screen.findByRole('alert');
    expect(sessionStorage.getItem('stack_mfa_attempt_code')).toBe('attempt');
    await press('Start over');
    expect(visited).toEqual(['replace /handler/sign-in']);
    expect(sessionStorage.getItem('stack_mfa_attempt_code')).toBeNull();
  });

  test('leads to the sign-in page if no sign-in waits', async () => {
    sessionStorage.clear();
    showPage({ path: 'mfa' });
    await title('No sign-in is in progress');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });
});

describe('the onboarding page', () => {
  const restricted = { ...ann, restriction: 'email_not_verified', primaryEmailVerified: false } as const;
  const primary = channel({ isVerified: false });

  test('sends the link that verifies the email address', async () => {
    const sendVerification = answers(undefined);
    showPage({
      path: 'onboarding?after_auth_return_to=/deep',
      user: restricted,
      channels: { list: async () => [primary], sendVerification },
    });
    await title('Verify your email address');
    await press('Email me a link');
    await screen.findByText(/Verification email sent/);
    expect(sendVerification).toHaveBeenCalledExactlyOnceWith(
      primary,
      `${location.origin}/handler/email-verification?after_auth_return_to=%2Fdeep`,
    );
  });

  test('goes on when the address was verified in another tab', async () => {
    let user: CurrentUser = restricted;
    const { visited } = showPage({ path: 'onboarding?after_auth_return_to=/deep', user: () => user });
    await title('Verify your email address');
    user = ann;
    fireEvent.focus(window);
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
  });

  test('tells users whom an administrator restricted why', async () => {
    const user = { ...ann, restriction: 'restricted_by_administrator', restrictedByAdminReason: 'Unpaid.' } as const;
    showPage({ path: 'onboarding', user });
    await title('Your account is restricted');
    screen.getByText('Unpaid.');
    expect(screen.getByRole('link', { name: 'Sign out' }).getAttribute('href')).toBe('/handler/sign-out');
  });

  test.each([
    ['signed-out users to the sign-in page', null, 'replace /handler/sign-in?after_auth_return_to=%2Fdeep'],
    ['users without a restriction to where they came from', ann, 'replace /deep'],
    [
      'anonymous users to the sign-up page',
      { ...ann, isAnonymous: true, restriction: 'anonymous' as const },
      'replace /handler/sign-up?after_auth_return_to=%2Fdeep',
    ],
  ])('leads %s', async (_, user, target) => {
    const { visited } = showPage({ path: 'onboarding?after_auth_return_to=/deep', user });
    await vi.waitFor(() => expect(visited).toEqual([target]));
  });
});
