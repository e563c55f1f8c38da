// @vitest-environment happy-dom

import { providerName } from '@gatebook/js/core';
import { KnownError } from '@gatebook/js/errors';
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderMark } from './provider-marks.tsx';
import { answers, type Fake, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

const never = () => vi.fn(() => new Promise<never>(() => {}));
const providers = (...ids: string[]) => ({ oauthProviders: ids.map((id) => ({ id })) });
const buttons = () => screen.findAllByRole('button', { name: /with/ });

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('provider buttons', () => {
  test("are listed in the project's order, above the other methods", async () => {
    showPage({ path: 'sign-in', config: providers('spotify', 'github', 'acme') });
    expect((await buttons()).map(({ textContent }) => textContent)).toEqual([
      'Sign in with Spotify',
      'Sign in with GitHub',
      'Sign in with acme',
    ]);
    screen.getByText('or');
  });

  test('have the name of a provider that the owner added', async () => {
    const config = { oauthProviders: [{ id: 'acme', displayName: 'Acme Login' }, { id: 'github' }] };
    showPage({ path: 'sign-in', config });
    expect((await buttons()).map(({ textContent }) => textContent)).toEqual([
      'Sign in with Acme Login',
      'Sign in with GitHub',
    ]);
  });

  test('show only the name if there are many, with the full accessible name', async () => {
    showPage({ path: 'sign-up', config: providers('google', 'github', 'x', 'apple') });
    expect((await buttons()).map((button) => [button.textContent, button.getAttribute('aria-label')])).toEqual([
      ['Google', 'Sign up with Google'],
      ['GitHub', 'Sign up with GitHub'],
      ['X', 'Sign up with X'],
      ['Apple', 'Sign up with Apple'],
    ]);
  });

  test('are shown alone if they are the only method', async () => {
    const config = { ...providers('github'), credentialEnabled: false, magicLinkEnabled: false };
    showPage({ path: 'sign-in', config });
    await buttons();
    expect(screen.queryByText('or')).toBeNull();
    expect(screen.queryByText(/No sign-in method/)).toBeNull();
  });

  test('redirect once and store the last used provider', async () => {
    const signInWithOAuth = never();
    showPage({ path: 'sign-in', config: providers('google', 'github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    await press('Sign in with Google');
    await press('Sign in with GitHub');
    expect(signInWithOAuth.mock.calls).toEqual([['github']]);
    expect(localStorage.getItem('_STACK_AUTH.lastUsed')).toBe('github');
    const github = screen.getByRole('button', { name: 'Sign in with GitHub' });
    expect(github.getAttribute('aria-busy')).toBe('true');
  });

  test('work again after a restore from the back/forward cache', async () => {
    const signInWithOAuth = never();
    showPage({ path: 'sign-in', config: providers('google', 'github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    act(() => {
      dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    });
    fireEvent.click(screen.getByRole('button', { name: /^Sign in with GitHub/ }));
    expect(signInWithOAuth).toHaveBeenCalledTimes(2);
  });

  test('mark the last used provider', async () => {
    localStorage.setItem('_STACK_AUTH.lastUsed', 'github');
    showPage({ path: 'sign-in', config: providers('google', 'github') });
    const [google, github] = await buttons();
    expect([google?.textContent, github?.textContent]).toEqual(['Sign in with Google', 'Sign in with GitHubLast used']);
  });

  test('work without storage', async () => {
    vi.stubGlobal('localStorage', {
      getItem: () => {
        throw new Error('denied');
      },
      setItem: () => {
        throw new Error('denied');
      },
    });
    const signInWithOAuth = never();
    showPage({ path: 'sign-in', config: providers('github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    expect(signInWithOAuth).toHaveBeenCalledOnce();
  });

  test('show why the redirect failed and can be retried', async () => {
    const signInWithOAuth = vi.fn(rejected('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED'));
    showPage({ path: 'sign-in', config: providers('github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    expect((await screen.findByRole('alert')).textContent).toBe('GitHub is not available right now.');
    await press('Sign in with GitHub');
    expect(signInWithOAuth).toHaveBeenCalledTimes(2);
  });

  test('are disabled with a hint inside an embedded page', async () => {
    vi.stubGlobal('top', {});
    showPage({ path: 'sign-in', config: providers('github') });
    await press('Sign in with GitHub');
    screen.getByText(/in its own window/);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the OAuth callback page', () => {
  const back = 'oauth-callback?after_auth_return_to=%2Fdeep&code=c1&state=s1';
  const show = (finishOAuth: NonNullable<Fake['oauth']>['finishOAuth'], more: Partial<Fake> = {}) =>
    showPage({ path: back, ...more, oauth: { ...(finishOAuth && { finishOAuth }) } });

  test('redeems the code once and redirects to the return target', async () => {
    const finishOAuth = answers({ isNewUser: false });
    const { visited } = show(finishOAuth);
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
    expect(finishOAuth).toHaveBeenCalledOnce();
  });

  test('returns to the page where linking an account began', async () => {
    const { visited } = show(answers({ isNewUser: false, returnTo: '/handler/account-settings#auth' }));
    await vi.waitFor(() => expect(visited).toEqual(['replace /handler/account-settings#auth']));
  });

  test('does not redirect to another site', async () => {
    const { visited } = show(answers({ isNewUser: false, returnTo: 'https://evil.example/' }));
    await screen.findByText(/redirect was blocked/);
    expect(visited).toEqual([]);
  });

  test('redirects to sign-in if no sign-in is in progress', async () => {
    const { visited } = show(answers(null));
    await vi.waitFor(() => expect(visited).toEqual(['replace /handler/sign-in']));
  });

  test('asks for the second factor, then redirects', async () => {
    const signInWithSecondFactor = answers({ isNewUser: false });
    const asks = vi.fn(rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'a1' }));
    const { visited } = show(asks, { auth: { signInWithSecondFactor } });
    await title('Two-factor authentication');
    fill('Code from your authenticator app', '123456');
    await vi.waitFor(() => expect(visited).toEqual(['replace /deep']));
    expect(signInWithSecondFactor).toHaveBeenCalledExactlyOnceWith({ attemptCode: 'a1', totp: '123456' });
    expect(asks).toHaveBeenCalledOnce();
  });

  test('starts over on the sign-in page, because the code is spent', async () => {
    const { visited } = show(rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'a1' }));
    await title('Two-factor authentication');
    await press('Start over');
    expect(visited).toEqual(['replace /handler/sign-in?after_auth_return_to=%2Fdeep']);
  });

  test('shows the error and a link to sign in again', async () => {
    const sentence = 'Error signing in during OAuth callback. Please try again.';
    show(async () => {
      throw new Error(sentence);
    });
    await title('Sign-in failed');
    screen.getByText(sentence);
    expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
      '/handler/sign-in?after_auth_return_to=%2Fdeep',
    );
  });

  test('shows the message of a known error', async () => {
    show(async () => {
      throw new KnownError('INVALID_AUTHORIZATION_CODE', 400, 'The code is not valid.');
    });
    await screen.findByText('The code is not valid.');
  });

  test('offers a link home after three seconds', async () => {
    vi.useFakeTimers();
    show(never());
    await act(() => vi.advanceTimersByTimeAsync(2_999));
    expect(screen.queryByRole('link')).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(screen.getByRole('link', { name: 'Go to the home page' }).getAttribute('href')).toBe('/');
  });
});

test('every standard provider has a name and a logo, and an unknown one has its ID', () => {
  const ids = ['google', 'github', 'microsoft', 'spotify', 'facebook', 'discord', 'gitlab', 'bitbucket'];
  for (const id of [...ids, 'linkedin', 'apple', 'x']) {
    expect(providerName(id).toLowerCase()).toBe(id);
    expect(ProviderMark({ id })).not.toBeNull();
  }
  expect([providerName('constructor'), ProviderMark({ id: 'constructor' })]).toEqual(['constructor', null]);
});
