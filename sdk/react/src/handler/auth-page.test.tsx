// @vitest-environment happy-dom

import { AnswerError, KnownError } from '@gatebook/js/errors';
import { cleanup, createEvent, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ann, answers, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

const known = { isNewUser: false };

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

async function enterEmail(email = 'ann@example.com'): Promise<void> {
  fireEvent.change(await screen.findByLabelText('Email'), { target: { value: email } });
  await press('Continue');
}

async function byPassword(button: string, email = 'ann@example.com', password = 'right horse'): Promise<void> {
  await enterEmail(email);
  await press('Use a password instead');
  fill('Password', password);
  await press(button);
}

describe('password sign-in', () => {
  test('redirects to the return target', async () => {
    const signInWithPassword = answers(known);
    const { visited } = showPage({ path: 'sign-in?after_auth_return_to=/deep%3Fa', auth: { signInWithPassword } });
    await byPassword('Sign in', ' ann@example.com ', ' right horse ');
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep?a']));
    expect(signInWithPassword).toHaveBeenCalledWith({ email: 'ann@example.com', password: ' right horse ' });
    expect(document.title).toBe('Sign in · Acme Shop');
  });

  test('shows an incorrect email or password at the email field', async () => {
    const { visited } = showPage({
      path: 'sign-in',
      auth: { signInWithPassword: rejected('EMAIL_PASSWORD_MISMATCH') },
    });
    await byPassword('Sign in');
    expect((await screen.findByRole('alert')).textContent).toContain('Incorrect email or password');
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
    expect(visited).toEqual([]);
  });

  test('validates both fields before sending', async () => {
    showPage({ path: 'sign-in' });
    await byPassword('Sign in', 'ann@example.com', '');
    fill('Email', 'ann');
    await press('Sign in');
    expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('complete email address'),
      'Enter your password',
    ]);
    expect(document.activeElement).toBe(screen.getByLabelText('Email'));
  });

  test('shows that the server is busy instead of waiting for the retry', async () => {
    const signInWithPassword = async () => {
      throw new AnswerError('u', 429, '');
    };
    showPage({ path: 'sign-in', auth: { signInWithPassword } });
    await byPassword('Sign in');
    expect((await screen.findByRole('alert')).textContent).toContain('Wait a moment');
  });

  test('does not redirect to another site', async () => {
    const path = `sign-in?after_auth_return_to=${encodeURIComponent('https://evil.example')}`;
    const { visited } = showPage({ path, auth: { signInWithPassword: answers(known) } });
    await byPassword('Sign in');
    await screen.findByText(/redirect was blocked/);
    expect(visited).toEqual([]);
  });
});

describe('email code sign-in', () => {
  const sendSignInCode = () => answers({ nonce: 'nonce' });

  async function askForCode(): Promise<void> {
    await enterEmail();
    await press('Email me a code');
    await title('Check your email');
  }

  test('submits the six characters automatically, with the nonce that was not in the email', async () => {
    const send = sendSignInCode();
    const signInWithCode = answers({ isNewUser: true });
    const { visited } = showPage({
      path: 'sign-in',
      auth: { sendSignInCode: send, signInWithCode },
      urls: { afterSignUp: '/welcome' },
    });
    await askForCode();
    expect(send).toHaveBeenCalledWith({
      email: 'ann@example.com',
      callbackUrl: `${location.origin}/handler/magic-link-callback`,
    });
    fill('Code from the email', '7k3-a');
    expect(signInWithCode).not.toHaveBeenCalled();
    fill('Code from the email', ' 7k3-abc ');
    await vi.waitFor(() => expect(visited).toEqual(['replace /welcome']));
    expect(signInWithCode).toHaveBeenCalledExactlyOnceWith('7K3ABCnonce');
  });

  test.each([
    ['VERIFICATION_CODE_NOT_FOUND', 'Incorrect code'],
    ['VERIFICATION_CODE_EXPIRED', 'has expired'],
    ['VERIFICATION_CODE_ALREADY_USED', 'already been used'],
    ['VERIFICATION_CODE_MAX_ATTEMPTS_REACHED', 'Too many attempts'],
  ] as const)('clears the code field after %s', async (code, words) => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: sendSignInCode(), signInWithCode: rejected(code) } });
    await askForCode();
    fill('Code from the email', '7k3abc');
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    expect((screen.getByLabelText('Code from the email') as HTMLInputElement).value).toBe('');
  });

  test('returns to the email form, which keeps the address', async () => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: sendSignInCode() } });
    await askForCode();
    await press('Use a different email');
    await title('Sign in');
    expect((screen.getByLabelText('Email') as HTMLInputElement).value).toBe('ann@example.com');
  });

  test('shows at the email field that no account uses the address and sign-up is closed', async () => {
    showPage({ path: 'sign-in', auth: { sendSignInCode: rejected('SIGN_UP_NOT_ENABLED') } });
    await enterEmail();
    await press('Email me a code');
    expect((await screen.findByRole('alert')).textContent).toContain('sign-up is closed');
  });
});

describe('second factor', () => {
  const asks = rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'attempt' });

  test('is asked for on the same page and can be retried', async () => {
    let isRight = false;
    const signInWithSecondFactor = vi.fn(async () => {
      if (!isRight) throw new KnownError('INVALID_TOTP_CODE', 400, 'x');
      return known;
    });
    const { visited } = showPage({ path: 'sign-in', auth: { signInWithPassword: asks, signInWithSecondFactor } });
    await byPassword('Sign in');
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '12a34 56');
    expect((await screen.findByRole('alert')).textContent).toContain('Incorrect code');
    isRight = true;
    fill('Code from your authenticator app', '654321');
    await vi.waitFor(() => expect(visited).toEqual(['replace /']));
    expect(signInWithSecondFactor.mock.calls).toEqual([
      [{ attemptCode: 'attempt', totp: '123456' }],
      [{ attemptCode: 'attempt', totp: '654321' }],
    ]);
  });

  test('starts over after it expired or had too many attempts', async () => {
    const signInWithSecondFactor = rejected('VERIFICATION_CODE_EXPIRED');
    showPage({ path: 'sign-in', auth: { signInWithPassword: asks, signInWithSecondFactor } });
    await byPassword('Sign in');
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '123456');
    expect((await screen.findByRole('alert')).textContent).toContain('Start over');
    await press('Start over');
    await title('Sign in');
  });
});

describe('sign-in methods', () => {
  test('include the passkey if the project and the browser support it', async () => {
    const signInWithPasskey = answers(known);
    vi.stubGlobal('PublicKeyCredential', () => {});
    const { visited } = showPage({ path: 'sign-in', config: { passkeyEnabled: true }, auth: { signInWithPasskey } });
    await press('Sign in with a passkey');
    await vi.waitFor(() => expect(visited).toEqual(['replace /']));
  });

  test('show a readable error for a canceled passkey request', async () => {
    vi.stubGlobal('PublicKeyCredential', () => {});
    const signInWithPasskey = rejected('PASSKEY_WEBAUTHN_ERROR', { code: 'NotAllowedError' });
    showPage({ path: 'sign-in', config: { passkeyEnabled: true }, auth: { signInWithPasskey } });
    await press('Sign in with a passkey');
    expect((await screen.findByRole('alert')).textContent).toContain('canceled');
  });

  test('have no passkey without browser support and no choice for a single method', async () => {
    showPage({ path: 'sign-in', config: { passkeyEnabled: true, credentialEnabled: false, signUpEnabled: false } });
    await screen.findByRole('button', { name: 'Email me a code' });
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Use a password instead' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
  });

  test('show a message if none is enabled', async () => {
    showPage({ path: 'sign-in', config: { credentialEnabled: false, magicLinkEnabled: false } });
    await screen.findByText(/No sign-in method/);
  });

  test('follow the email address, first the one that the app prefers, and move the focus to it', async () => {
    showPage({ path: 'sign-in', props: { firstTab: 'password', extraInfo: 'By signing in you agree.' } });
    await enterEmail();
    screen.getByText('By signing in you agree.');
    expect(document.activeElement).toBe(screen.getByLabelText('Password'));
    await press('Use an email code instead');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Email me a code' }));
    expect((screen.getByLabelText('Email') as HTMLInputElement).value).toBe('ann@example.com');
  });

  test('begin with the one that was last used in this browser, and say so', async () => {
    const { visited } = showPage({ path: 'sign-in', auth: { signInWithPassword: answers(known) } });
    await byPassword('Sign in');
    await vi.waitFor(() => expect(visited).toHaveLength(1));
    cleanup();
    showPage({ path: 'sign-in' });
    await screen.findByText('Last used: password');
    await enterEmail();
    screen.getByLabelText('Password');
  });

  test('do not continue with an incomplete email address', async () => {
    showPage({ path: 'sign-in' });
    await enterEmail('ann');
    expect((await screen.findByRole('alert')).textContent).toContain('complete email address');
    expect(screen.queryByRole('button', { name: 'Email me a code' })).toBeNull();
  });

  test('come with links to terms and privacy if the app has them', async () => {
    showPage({ path: 'sign-up', props: { termsUrl: '/terms', privacyUrl: 'https://acme.test/privacy' } });
    expect((await screen.findByRole('link', { name: 'Terms of service' })).getAttribute('href')).toBe('/terms');
    expect(screen.getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe('https://acme.test/privacy');
    cleanup();
    showPage({ path: 'sign-up' });
    await title('Create an account');
    expect(screen.queryByRole('link', { name: 'Terms of service' })).toBeNull();
  });
});

describe('passkeys in the autofill of the email field', () => {
  const supportAutofill = (isAvailable = true) =>
    vi.stubGlobal(
      'PublicKeyCredential',
      Object.assign(() => {}, { isConditionalMediationAvailable: async () => isAvailable }),
    );
  const passkeyEnabled = { config: { passkeyEnabled: true } };
  /** What starts a challenge. */
  const movePointer = async () => void fireEvent.pointerMove(await screen.findByLabelText('Email'));

  test('request one challenge, once somebody uses the page', async () => {
    supportAutofill();
    const signInWithPasskey = vi.fn(() => new Promise<never>(() => {}));
    showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey } });
    await screen.findByLabelText('Email');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signInWithPasskey).not.toHaveBeenCalled();
    await movePointer();
    await vi.waitFor(() => expect(signInWithPasskey).toHaveBeenCalledTimes(1));
    await movePointer();
    fireEvent.pointerDown(screen.getByLabelText('Email'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signInWithPasskey).toHaveBeenCalledTimes(1);
  });

  test('sign in when one is chosen', async () => {
    supportAutofill();
    const signInWithPasskey = answers(known);
    const { visited } = showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey } });
    fireEvent.focusIn(await screen.findByLabelText('Email'));
    await vi.waitFor(() => expect(visited).toEqual(['replace /']));
    expect(signInWithPasskey).toHaveBeenCalledExactlyOnceWith({ autofill: expect.any(AbortSignal) });
    expect(localStorage.getItem('_STACK_AUTH.lastUsed')).toBe('passkey');
  });

  test('are offered in a field for user names, until the page goes on', async () => {
    supportAutofill();
    let signal: AbortSignal | undefined;
    const signInWithPasskey = ({ autofill }: { autofill?: AbortSignal } = {}) => {
      signal = autofill;
      return new Promise<never>(() => {});
    };
    const sendSignInCode = answers({ nonce: 'nonce' });
    showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey, sendSignInCode } });
    expect((await screen.findByLabelText('Email')).getAttribute('autocomplete')).toBe('username webauthn');
    await movePointer();
    await vi.waitFor(() => expect(signal?.aborted).toBe(false));
    await enterEmail();
    expect(signal?.aborted).toBe(false);
    await press('Email me a code');
    await title('Check your email');
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
  });

  test('are offered again when the field takes the focus after one was rejected', async () => {
    supportAutofill();
    const signInWithPasskey = vi
      .fn(() => new Promise<never>(() => {}))
      .mockImplementationOnce(rejected('PASSKEY_AUTHENTICATION_FAILED'));
    showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey } });
    await movePointer();
    expect((await screen.findByRole('alert')).textContent).toContain('not registered here');
    fireEvent.pointerMove(document.body);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signInWithPasskey).toHaveBeenCalledTimes(1);
    fireEvent.focusIn(screen.getByLabelText('Email'));
    await vi.waitFor(() => expect(signInWithPasskey).toHaveBeenCalledTimes(2));
  });

  test.each([
    ['takes the focus', fireEvent.focusIn],
    ['is clicked while it has the focus', fireEvent.pointerDown],
  ])('get a new challenge when the field %s after the old one became invalid', async (_, turnTo) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    supportAutofill();
    const signInWithPasskey = vi.fn(() => new Promise<never>(() => {}));
    showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey } });
    const field = await screen.findByLabelText('Email');
    fireEvent.keyDown(field);
    await vi.waitFor(() => expect(signInWithPasskey).toHaveBeenCalledTimes(1));
    turnTo(field);
    expect(signInWithPasskey).toHaveBeenCalledTimes(1);
    vi.setSystemTime(Date.now() + 60_000);
    turnTo(field);
    await vi.waitFor(() => expect(signInWithPasskey).toHaveBeenCalledTimes(2));
    vi.useRealTimers();
  });

  test.each([
    ['the browser does not support them', false, {}],
    ['the user signs up', true, { path: 'sign-up' }],
    ['the project does not allow passkeys', true, { config: {} }],
  ])('are not requested if %s', async (_, isAvailable, page) => {
    supportAutofill(isAvailable);
    const signInWithPasskey = answers(known);
    showPage({ path: 'sign-in', ...passkeyEnabled, auth: { signInWithPasskey }, ...page });
    await screen.findByLabelText('Email');
    await movePointer();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signInWithPasskey).not.toHaveBeenCalled();
  });
});

describe('password fields', () => {
  /** happy-dom knows no Caps Lock. */
  function pressKey(field: HTMLElement, { isCapsLock }: { isCapsLock: boolean }): void {
    const event = createEvent.keyDown(field, { key: 'A' });
    fireEvent(field, Object.assign(event, { getModifierState: () => isCapsLock }));
  }

  test('warn about Caps Lock while typing', async () => {
    showPage({ path: 'sign-in', props: { firstTab: 'password' } });
    await enterEmail();
    const field = screen.getByLabelText('Password');
    pressKey(field, { isCapsLock: true });
    expect(screen.getByText('Caps Lock is on').getAttribute('role')).toBe('status');
    pressKey(field, { isCapsLock: false });
    expect(screen.queryByText('Caps Lock is on')).toBeNull();
    pressKey(field, { isCapsLock: true });
    fireEvent.blur(field);
    expect(screen.queryByText('Caps Lock is on')).toBeNull();
  });

  test('show the strength of a new password', async () => {
    showPage({ path: 'sign-up', props: { firstTab: 'password' } });
    await enterEmail();
    fill('Password', 'ann@example.com1');
    await screen.findByText('Weak password');
    fill('Password', 'correct horse battery staple');
    screen.getByText('Strong password');
  });
});

describe('sign-up', () => {
  test('requires the password twice, then redirects', async () => {
    const signUpWithPassword = answers({ isNewUser: true });
    const { visited } = showPage({ path: 'sign-up?after_auth_return_to=/deep', auth: { signUpWithPassword } });
    await byPassword('Sign up');
    expect((await screen.findByRole('alert')).textContent).toContain("don't match");
    fill('Repeat password', 'right horse');
    await press('Sign up');
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
    expect(signUpWithPassword).toHaveBeenCalledExactlyOnceWith({
      email: 'ann@example.com',
      password: 'right horse',
      verificationCallbackUrl: `${location.origin}/handler/email-verification?after_auth_return_to=%2Fdeep`,
    });
  });

  test('shows what the server rejects at the field', async () => {
    const props = { noPasswordRepeat: true };
    const auth = { signUpWithPassword: rejected('USER_EMAIL_ALREADY_EXISTS') };
    showPage({ path: 'sign-up', auth, props });
    await byPassword('Sign up');
    expect((await screen.findByRole('alert')).textContent).toContain('already');
  });

  test('shows that sign-up is closed', async () => {
    showPage({ path: 'sign-up', config: { signUpEnabled: false } });
    await title('Sign-up is closed');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });
});

describe('the sign-in page for a signed-in user', () => {
  test('redirects to the return target', async () => {
    const { visited } = showPage({ path: 'sign-in?after_auth_return_to=/deep', user: ann });
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
  });

  test('does not redirect to another site', async () => {
    const { visited } = showPage({ path: 'sign-in?after_auth_return_to=//evil.example', user: ann });
    await screen.findByText(/redirect was blocked/);
    expect(visited).toEqual([]);
  });
});
