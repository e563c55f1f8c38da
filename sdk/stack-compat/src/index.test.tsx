// @vitest-environment happy-dom

import { realNetwork } from '@gatebook/js/core';
import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as compat from './index.ts';
import * as withoutReact from './js.ts';

afterEach(cleanup);

/** What `@stackframe/react` 2.8.108 exports besides the apps, which have their own test. */
const published = [
  ...['AccountSettings', 'AuthPage', 'CliAuthConfirmation', 'CredentialSignIn', 'CredentialSignUp'],
  ...['EmailVerification', 'ForgotPassword', 'MagicLinkSignIn', 'MessageCard', 'OAuthButton', 'OAuthButtonGroup'],
  ...['PasswordReset', 'SelectedTeamSwitcher', 'SignIn', 'SignUp', 'TeamSwitcher', 'UserAvatar', 'UserButton'],
  ...['StackHandler', 'HexclaveHandler', 'StackProvider', 'HexclaveProvider', 'StackTheme', 'HexclaveTheme'],
  ...['useUser', 'useStackApp', 'useHexclaveApp', 'StackClientApp', 'HexclaveClientApp', 'StackServerApp'],
  ...['StackAdminApp', 'defineStackConfig', 'getConvexProvidersConfig', 'stackAppInternalsSymbol'],
];

test('each component, hook and function of the published package is here', () => {
  expect(Object.keys(compat)).toEqual(expect.arrayContaining(published));
});

test('an app written for the published names shows its user and its pages', async () => {
  history.replaceState(null, '', '/handler/forgot-password');
  const fetch = vi.fn(async () =>
    Response.json({ id: 'p1', display_name: 'Acme Shop', config: { enabled_oauth_providers: [] } }),
  );
  vi.stubGlobal('fetch', fetch);
  const app = new compat.StackClientApp({ baseUrl: 'https://gate.test', projectId: 'p1', tokenStore: 'memory' });
  const Name = () => <p>{compat.useUser()?.displayName ?? 'nobody'}</p>;
  await act(async () => {
    render(
      <compat.StackProvider app={app} lang="en-US">
        <compat.StackTheme theme={{ light: { primary: 'red' } }}>
          <Suspense fallback="loading">
            <Name />
            <compat.StackHandler app={app} fullPage location="/handler/forgot-password" />
          </Suspense>
        </compat.StackTheme>
      </compat.StackProvider>,
    );
  });
  expect(await screen.findByText('nobody')).toBeDefined();
  await screen.findByRole('heading', { name: 'Reset your password' });
  await vi.waitFor(() => expect(document.title).toBe('Reset your password · Acme Shop'));
  vi.unstubAllGlobals();
});

test('a text of the published components in translationOverrides is logged, and does not stop the app', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const app = new compat.StackClientApp({ baseUrl: 'https://gate.test', projectId: 'p1', tokenStore: 'memory' });
  render(
    <compat.StackProvider app={app} translationOverrides={{ 'Sign in to your account': 'Hello' }}>
      <p>still here</p>
    </compat.StackProvider>,
  );
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.stringContaining('Sign in to your account')));
  screen.getByText('still here');
});

test('an app of project `internal` has the projects of its user, with hooks', () => {
  const app = new compat.StackClientApp({ baseUrl: 'https://gate.test', projectId: 'internal', tokenStore: 'memory' });
  expect(app).toMatchObject({ projectId: 'internal', useUser: expect.any(Function), useProject: expect.any(Function) });
});

describe.each([
  ['with React', compat.StackClientApp],
  ['without React', withoutReact.StackClientApp],
])('an app %s', (_, StackClientApp) => {
  const openSignIn = async (options: object) => {
    const assign = vi.fn();
    const page = { href: 'https://app.test/start', assign, replace: assign };
    const parts = { location: page, network: { ...realNetwork, pause: async () => {} } };
    const app = new StackClientApp({
      baseUrl: 'https://gate.test',
      projectId: 'p1',
      tokenStore: null,
      parts,
      ...options,
    });
    await app.redirectToSignIn();
    return assign.mock.calls;
  };

  test('redirects in browsers by default, as the published app does', async () => {
    expect(await openSignIn({})).toEqual([['/handler/sign-in?after_auth_return_to=%2Fstart']]);
  });

  test('does not redirect if it is told so, or on a server', async () => {
    expect(await openSignIn({ redirectMethod: 'none' })).toEqual([]);
    vi.stubGlobal('window', undefined);
    expect(await openSignIn({})).toEqual([]);
    vi.unstubAllGlobals();
  });
});
