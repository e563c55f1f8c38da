// @vitest-environment happy-dom

import { AnswerError } from '@gatebook/js/errors';
import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { navigateWithin } from './handler-pages.tsx';
import { ann, answers, press, showPage, title } from './testing/show-page.tsx';

describe('the sign-out page', () => {
  test('signs out once when it opens, then redirects', async () => {
    const signOut = answers(undefined);
    const { visited } = showPage({ path: 'sign-out', user: ann, auth: { signOut }, urls: { afterSignOut: '/bye' } });
    await vi.waitFor(() => expect(visited).toEqual(['/bye']));
    expect(signOut).toHaveBeenCalledOnce();
  });

  test('shows if the server failed and offers to sign out on this device only', async () => {
    const signOut = vi.fn(async () => {
      throw new AnswerError('u', 500, '');
    });
    const { visited, invalidate } = showPage({ path: 'sign-out', user: ann, auth: { signOut } });
    await title('You are still signed in');
    await press('Sign out on this device only');
    await vi.waitFor(() => expect(visited).toEqual(['/']));
    expect(invalidate).toHaveBeenCalledOnce();
  });

  test('shows a sign-in link to signed-out users', async () => {
    showPage({ path: 'sign-out' });
    await title('You are signed out');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/handler/sign-in');
  });
});

describe('the error page', () => {
  test.each([
    ['OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER', 'Account not linked'],
    ['USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION', 'Account not linked'],
    ['OAUTH_PROVIDER_ACCESS_DENIED', 'Sign-in failed'],
    ['CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE', 'Account already exists'],
    ['SIGN_UP_NOT_ENABLED', 'Sign-up is closed'],
    ['OUTER_OAUTH_TIMEOUT', 'Something went wrong'],
    ['NO_CODE_OF_OURS', 'Something went wrong'],
  ])('shows %s as “%s”', async (code, name) => {
    showPage({ path: `error?errorCode=${code}&message=words` });
    await title(name);
    expect(screen.queryByText('words') !== null).toBe(code === 'OUTER_OAUTH_TIMEOUT');
  });

  test.each([
    ['OAUTH_PROVIDER_ACCESS_DENIED', ['Sign in again', 'Home']],
    ['OUTER_OAUTH_TIMEOUT', ['Sign in again', 'Home']],
    ['USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION', ['Home']],
  ])('offers the next steps for %s', async (code, names) => {
    showPage({ path: `error?errorCode=${code}&message=words&after_auth_return_to=/deep` });
    const links = await screen.findAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(names);
    const again = names.includes('Sign in again') ? '/handler/sign-in?after_auth_return_to=%2Fdeep' : '/';
    expect(links[0]?.getAttribute('href')).toBe(again);
  });

  test.each(['OAUTH_PROVIDER_ACCESS_DENIED', 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER'])(
    'links back to where a signed-in user linked an account after %s',
    async (code) => {
      const path = `error?errorCode=${code}&message=words&after_auth_return_to=%2Fhandler%2Faccount-settings%23auth`;
      const { visited } = showPage({ path, user: ann });
      const link = await screen.findByRole('link', { name: 'Back' });
      await title('Account not linked');
      fireEvent.click(link);
      expect(visited).toEqual(['/handler/account-settings#auth']);
    },
  );

  test('does not link to another site', async () => {
    const path = 'error?errorCode=OAUTH_PROVIDER_ACCESS_DENIED&message=words&after_auth_return_to=//evil.example';
    showPage({ path, user: ann });
    await title('Account not linked');
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/']);
  });

  test.each(['', '?errorCode=OUTER_OAUTH_TIMEOUT', '?errorCode=OUTER_OAUTH_TIMEOUT&message=words&details=%7B'])(
    'shows an unknown error for an incomplete query: %s',
    async (query) => {
      showPage({ path: `error${query}` });
      await title('Something went wrong');
      expect(screen.queryByText('words')).toBeNull();
    },
  );
});

test('an alias redirects to its page', async () => {
  const { visited } = showPage({ path: 'login?after_auth_return_to=/deep' });
  await vi.waitFor(() => expect(visited).toEqual(['replace /handler/sign-in?after_auth_return_to=/deep']));
});

test('the logo and the accent color of the project are used, with its name as the text of the logo', async () => {
  const branding = { logoUrl: 'https://example.com/logo.png', darkLogoUrl: null, accentColor: '#ffdd00' };
  showPage({ path: 'nowhere', config: { branding } });
  const logo = await screen.findByRole('img');
  expect(logo.getAttribute('src')).toBe(branding.logoUrl);
  expect(logo.getAttribute('alt')).not.toBe('');
  const style = (logo.closest('.gbh') as HTMLElement).style;
  expect(style.getPropertyValue('--gbh-brand')).toBe('#ffdd00');
});

test('an unknown path shows “Page not found”', async () => {
  showPage({ path: 'nowhere' });
  await title('Page not found');
});

test('pages change with the URL without reloading the document', async () => {
  showPage({ path: 'sign-in', config: { passkeyEnabled: false } });
  await title('Sign in');
  act(() => navigateWithin('/handler')('/handler/forgot-password', { replace: false }));
  await title('Reset your password');
  act(() => navigateWithin('/handler')('/handler/sign-up', { replace: true }));
  await title('Create an account');
});

test('links keep the return target', async () => {
  const { visited } = showPage({ path: 'sign-in?after_auth_return_to=/deep' });
  const link = await screen.findByRole('link', { name: 'Sign up' });
  expect(link.getAttribute('href')).toBe('/handler/sign-up?after_auth_return_to=%2Fdeep');
  fireEvent.click(link, { metaKey: true });
  expect(visited).toEqual([]);
  fireEvent.click(link);
  expect(visited).toEqual(['/handler/sign-up?after_auth_return_to=%2Fdeep']);
});
