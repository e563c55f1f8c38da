// @vitest-environment happy-dom

import { KnownError } from '@gatebook/js/errors';
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderMark } from './provider-marks.tsx';
import { providerName } from './provider-names.ts';
import { answers, type Fake, fill, press, rejected, showPage, title } from './testing/show-page.tsx';

const never = () => vi.fn(() => new Promise<never>(() => {}));
const providers = (...ids: string[]) => ({ oauthProviders: ids.map((id) => ({ id })) });
const buttons = () => screen.findAllByRole('button', { name: /with/ });

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('buttons of providers', () => {
  test('are one for each, in the order of the project, above the other ways', async () => {
    showPage({ path: 'sign-in', config: providers('spotify', 'github', 'acme') });
    expect((await buttons()).map(({ textContent }) => textContent)).toEqual([
      ...['Sign in with Spotify', 'Sign in with GitHub', 'Sign in with acme'],
    ]);
    screen.getByText('or');
  });

  test('are told by name alone where there are many, and are read out whole', async () => {
    showPage({ path: 'sign-up', config: providers('google', 'github', 'x', 'apple') });
    expect((await buttons()).map((button) => [button.textContent, button.getAttribute('aria-label')])).toEqual([
      ['Google', 'Sign up with Google'],
      ['GitHub', 'Sign up with GitHub'],
      ['X', 'Sign up with X'],
      ['Apple', 'Sign up with Apple'],
    ]);
  });

  test('stand alone where they are the only way', async () => {
    const config = { ...providers('github'), credentialEnabled: false, magicLinkEnabled: false };
    showPage({ path: 'sign-in', config });
    await buttons();
    expect(screen.queryByText('or')).toBeNull();
    expect(screen.queryByText(/No sign-in method/)).toBeNull();
  });

  test('leave once, and note through whom', async () => {
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

  test('work again when the browser brings the page back', async () => {
    const signInWithOAuth = never();
    showPage({ path: 'sign-in', config: providers('google', 'github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    act(() => {
      dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    });
    fireEvent.click(screen.getByRole('button', { name: /^Sign in with GitHub/ }));
    expect(signInWithOAuth).toHaveBeenCalledTimes(2);
  });

  test('mark the one that was used last', async () => {
    localStorage.setItem('_STACK_AUTH.lastUsed', 'github');
    showPage({ path: 'sign-in', config: providers('google', 'github') });
    const [google, github] = await buttons();
    expect([google?.textContent, github?.textContent]).toEqual(['Sign in with Google', 'Sign in with GitHubLast used']);
  });

  test('do without the mark where pages may keep nothing', async () => {
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

  test('say what stands against leaving, and can be tried again', async () => {
    const signInWithOAuth = vi.fn(rejected('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED'));
    showPage({ path: 'sign-in', config: providers('github'), oauth: { signInWithOAuth } });
    await press('Sign in with GitHub');
    expect((await screen.findByRole('alert')).textContent).toBe('GitHub cannot be used here at the moment.');
    await press('Sign in with GitHub');
    expect(signInWithOAuth).toHaveBeenCalledTimes(2);
  });

  test('do nothing inside of another page, and say so', async () => {
    vi.stubGlobal('top', {});
    showPage({ path: 'sign-in', config: providers('github') });
    await press('Sign in with GitHub');
    screen.getByText(/window of its own/);
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the way back from a provider', () => {
  const back = 'oauth-callback?after_auth_return_to=%2Fdeep&code=c1&state=s1';
  const show = (finishOAuth: NonNullable<Fake['oauth']>['finishOAuth'], more: Partial<Fake> = {}) =>
    showPage({ path: back, ...more, oauth: { ...(finishOAuth && { finishOAuth }) } });

  test('asks once, and leads to where the person wanted to go', async () => {
    const finishOAuth = answers({ isNewUser: false });
    const { went } = show(finishOAuth);
    await vi.waitFor(() => expect(went).toEqual(['instead /deep']));
    expect(finishOAuth).toHaveBeenCalledOnce();
  });

  test('leads somebody who linked an account back to where that began', async () => {
    const { went } = show(answers({ isNewUser: false, returnTo: '/handler/account-settings#auth' }));
    await vi.waitFor(() => expect(went).toEqual(['instead /handler/account-settings#auth']));
  });

  test('leads nowhere off the site', async () => {
    const { went } = show(answers({ isNewUser: false, returnTo: 'https://evil.example/' }));
    await screen.findByText(/was not followed/);
    expect(went).toEqual([]);
  });

  test('goes to the sign-in page where there is nothing to finish', async () => {
    const { went } = show(answers(null));
    await vi.waitFor(() => expect(went).toEqual(['instead /handler/sign-in']));
  });

  test('asks for the second factor, and goes on from it', async () => {
    const signInWithSecondFactor = answers({ isNewUser: false });
    const asks = vi.fn(rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'a1' }));
    const { went } = show(asks, { auth: { signInWithSecondFactor } });
    await title('One more step');
    fill('Code from your authenticator app', '123456');
    await vi.waitFor(() => expect(went).toEqual(['instead /deep']));
    expect(signInWithSecondFactor).toHaveBeenCalledExactlyOnceWith({ attemptCode: 'a1', totp: '123456' });
    expect(asks).toHaveBeenCalledOnce();
  });

  test('starts over at the sign-in page, since the answer is used up', async () => {
    const { went } = show(rejected('MULTI_FACTOR_AUTHENTICATION_REQUIRED', { attempt_code: 'a1' }));
    await title('One more step');
    await press('Start over');
    expect(went).toEqual(['instead /handler/sign-in?after_auth_return_to=%2Fdeep']);
  });

  test('says what went wrong, and how to go on', async () => {
    const sentence = 'Error signing in during OAuth callback. Please try again.';
    show(async () => {
      throw new Error(sentence);
    });
    await title('You were not signed in');
    screen.getByText(sentence);
    expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
      '/handler/sign-in?after_auth_return_to=%2Fdeep',
    );
  });

  test('says it in the words of the catalogue', async () => {
    show(async () => {
      throw new KnownError('INVALID_AUTHORIZATION_CODE', 400, 'The code is not valid.');
    });
    await screen.findByText('The code is not valid.');
  });

  test('shows a way out after three seconds', async () => {
    vi.useFakeTimers();
    show(never());
    await act(() => vi.advanceTimersByTimeAsync(2_999));
    expect(screen.queryByRole('link')).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(screen.getByRole('link', { name: 'Go to the home page' }).getAttribute('href')).toBe('/');
  });
});

test('every standard provider has a name and a mark, and another goes by its id', () => {
  const ids = ['google', 'github', 'microsoft', 'spotify', 'facebook', 'discord', 'gitlab', 'bitbucket'];
  for (const id of [...ids, 'linkedin', 'apple', 'x']) {
    expect(providerName(id).toLowerCase()).toBe(id);
    expect(ProviderMark({ id })).not.toBeNull();
  }
  expect([providerName('constructor'), ProviderMark({ id: 'constructor' })]).toEqual(['constructor', null]);
});
