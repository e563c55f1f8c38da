// @vitest-environment happy-dom

import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import * as compat from './react.ts';

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

test('redirects are off by default, as in the published app', async () => {
  history.replaceState(null, '', '/start');
  const app = new compat.StackClientApp({ baseUrl: 'https://gate.test', projectId: 'p1', tokenStore: 'memory' });
  await app.redirectToSignIn();
  expect(location.pathname).toBe('/start');
});
