// @vitest-environment happy-dom

import { gatebookInternals } from '@gatebook/js';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import axe from 'axe-core';
import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { tokenFor } from '../../../js/src/testing.ts';
import { GatebookProvider, useUser } from '../index.ts';
import * as pages from '../pages.ts';
import { annView, fakeApp, projectView, teamView } from '../testing/fake-app.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
  history.replaceState(null, '', '/');
  document.title = '';
});

type App = Pick<ReturnType<typeof fakeApp>, 'app'>;

async function show({ app }: App, children: ReactNode): Promise<HTMLElement> {
  let container: HTMLElement | undefined;
  await act(async () => {
    ({ container } = render(<GatebookProvider app={app}>{children}</GatebookProvider>));
  });
  if (!container) throw new Error('nothing was rendered');
  return container;
}

/** Problems that axe finds by WCAG 2.2 AA. Colors need a browser: see the tests of the pages there. */
async function problems(container: HTMLElement): Promise<string[]> {
  const { violations } = await axe.run(container, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    rules: { 'color-contrast': { enabled: false } },
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const teams = [teamView('t1', 'Red'), teamView('t2', 'Blue')];
/** A user whose selected team is stored. */
function withTeams() {
  let view = annView;
  return fakeApp({
    routes: {
      'GET /teams': { items: teams },
      'GET /users/me': () => ({ json: view }),
      'PATCH /users/me': ({ body }: { body: { selected_team_id: string | null } }) => {
        const selected_team = teams.find(({ id }) => id === body.selected_team_id) ?? null;
        view = { ...view, selected_team_id: body.selected_team_id, selected_team };
        return { json: view };
      },
    },
  });
}
const keyDown = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const focusedText = () => document.activeElement?.textContent;

describe('UserButton', () => {
  test('opens a menu for the keyboard, and signs out', async () => {
    const fake = fakeApp({ routes: { 'DELETE /auth/sessions/current': {} } });
    const onClick = vi.fn();
    const extraItems = [{ text: 'Billing', onClick }];
    const container = await show(fake, <pages.UserButton showUserInfo extraItems={extraItems} />);
    const button = await screen.findByRole('button', { name: 'Account of Ann Achebe' });
    button.focus();
    keyDown('ArrowDown');
    expect(focusedText()).toBe('Account settings');
    expect(await problems(container)).toEqual([]);
    keyDown('ArrowUp');
    expect(focusedText()).toBe('Sign out');
    keyDown('Escape');
    expect(document.activeElement).toBe(button);
    expect(screen.queryByRole('menu')).toBeNull();

    fireEvent.click(button);
    await act(async () => fireEvent.click(screen.getByRole('menuitem', { name: 'Billing' })));
    expect(onClick).toHaveBeenCalledOnce();
    fireEvent.click(button);
    await act(async () => fireEvent.click(screen.getByRole('menuitem', { name: 'Sign out' })));
    await vi.waitFor(() => expect(fake.visited).toEqual(['/']));
    await screen.findByRole('button', { name: 'Account' });
  });

  test('offers sign-in and sign-up to those who are signed out', async () => {
    const fake = fakeApp({ isSignedIn: false });
    await show(fake, <pages.UserButton />);
    fireEvent.click(await screen.findByRole('button', { name: 'Account' }));
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(['Sign in', 'Sign up']);
    expect(screen.getByText('Not signed in')).toBeDefined();
    fireEvent.click(screen.getByRole('menuitem', { name: 'Sign up' }));
    await vi.waitFor(() => expect(fake.visited).toEqual([expect.stringMatching(/^\/handler\/sign-up/)]));
  });

  test('closes with a click or the focus elsewhere', async () => {
    await show(fakeApp(), <pages.UserButton />);
    fireEvent.click(await screen.findByRole('button', { name: 'Account of Ann Achebe' }));
    fireEvent.pointerDown(document.body);
    expect(screen.queryByRole('menu')).toBeNull();
    fireEvent.click(screen.getByRole('button'));
    fireEvent.focusIn(document.body);
    expect(screen.queryByRole('menu')).toBeNull();
  });
});

describe('team switchers', () => {
  test('SelectedTeamSwitcher stores the choice and opens the page of the team', async () => {
    const navigate = vi.fn();
    const fake = withTeams();
    vi.spyOn(fake.app, 'useNavigate').mockReturnValue(navigate);
    const container = await show(
      fake,
      <pages.SelectedTeamSwitcher allowNull nullLabel="Myself" urlMap={(team) => `/teams/${team?.id}`} />,
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Team: Myself' }));
    expect(await problems(container)).toEqual([]);
    await act(async () => fireEvent.click(screen.getByRole('menuitemradio', { name: 'Blue' })));
    await screen.findByRole('button', { name: 'Team: Blue' });
    expect(navigate).toHaveBeenCalledWith('/teams/t2');
    const { body } = fake.requests.find(({ method }) => method === 'PATCH') ?? {};
    expect(body).toEqual({ selected_team_id: 't2' });
  });

  test('SelectedTeamSwitcher leads to the settings of the team and to a new team', async () => {
    const navigate = vi.fn();
    const fake = withTeams();
    vi.spyOn(fake.app, 'useNavigate').mockReturnValue(navigate);
    const [team] = await (await fake.app.getUser({ or: 'throw' })).listTeams();
    await show(fake, <pages.SelectedTeamSwitcher noUpdateSelectedTeam {...(team && { selectedTeam: team })} />);
    for (const name of ['Team settings', 'Create a team']) {
      fireEvent.click(await screen.findByRole('button', { name: 'Team: Red' }));
      await act(async () => fireEvent.click(screen.getByRole('menuitem', { name })));
    }
    expect(navigate.mock.calls).toEqual([
      ['/handler/account-settings#team-t1'],
      ['/handler/account-settings#team-creation'],
    ]);
  });

  test('SelectedTeamSwitcher stores a given team, once', async () => {
    const fake = withTeams();
    const [team] = await (await fake.app.getUser({ or: 'throw' })).listTeams();
    await show(fake, <pages.SelectedTeamSwitcher {...(team && { selectedTeam: team })} />);
    await screen.findByRole('button', { name: 'Team: Red' });
    await vi.waitFor(() => expect(fake.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1));
  });

  test('TeamSwitcher passes the choice on and stores nothing', async () => {
    const fake = withTeams();
    const onChange = vi.fn();
    await show(fake, <pages.TeamSwitcher teamId="t1" onChange={onChange} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Team: Red' }));
    expect(screen.getByRole('menuitemradio', { name: 'Red' }).getAttribute('aria-checked')).toBe('true');
    await act(async () => fireEvent.click(screen.getByRole('menuitemradio', { name: 'Blue' })));
    expect(onChange.mock.calls[0]?.[0]).toMatchObject({ id: 't2' });
    expect(fake.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('say if there are no teams', async () => {
    await show(fakeApp({ routes: { 'GET /teams': { items: [] } } }), <pages.TeamSwitcher />);
    fireEvent.click(await screen.findByRole('button', { name: 'Team: Select team' }));
    expect(screen.getByText('You are not in a team yet.')).toBeDefined();
  });
});

describe('pages as components', () => {
  const session = { access_token: tokenFor(600_000), refresh_token: 'r1', user_id: 'u1', is_new_user: false };

  test('SignIn signs in for the hooks of the app too', async () => {
    const fake = fakeApp({ isSignedIn: false, routes: { 'POST /auth/password/sign-in': session } });
    const Greeting = () => <p>{useUser()?.displayName ?? 'nobody'}</p>;
    await show(
      fake,
      <>
        <pages.SignIn firstTab="password" />
        <Greeting />
      </>,
    );
    await screen.findByRole('heading', { level: 2, name: 'Sign in' });
    fireEvent.change(screen.getByLabelText('Email'), { target: { value: 'ann@example.com' } });
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
    fireEvent.change(await screen.findByLabelText('Password'), { target: { value: 'right horse' } });
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Sign in' })));
    expect(await screen.findByText('Ann Achebe', { selector: 'p' })).toBeDefined();
    expect(fake.visited).toEqual(['/']);
    expect(document.title).toBe('');
  });

  test('SignIn leaves the page of a signed-in user only if asked to', async () => {
    const staying = fakeApp();
    await show(staying, <pages.SignIn />);
    await screen.findByRole('heading', { name: 'You are signed in' });
    expect(staying.visited).toEqual([]);
    cleanup();
    const leaving = fakeApp();
    await show(leaving, <pages.SignIn automaticRedirect />);
    await vi.waitFor(() => expect(leaving.visited).toEqual(['/']));
  });

  test('GatebookHandler shows the page of the URL, with its own properties, and sets the title', async () => {
    history.replaceState(null, '', '/handler/sign-in');
    const componentProps = { SignIn: { extraInfo: 'Staff only' } };
    await show(fakeApp({ isSignedIn: false }), <pages.GatebookHandler componentProps={componentProps} />);
    await screen.findByRole('heading', { level: 1, name: 'Sign in' });
    expect(screen.getByText('Staff only')).toBeDefined();
    expect(document.title).toBe('Sign in · Acme Shop');
  });

  test('GatebookHandler takes the path of a router', async () => {
    await show(fakeApp({ isSignedIn: false }), <pages.GatebookHandler location="/handler/forgot-password" />);
    await screen.findByRole('heading', { name: 'Reset your password' });
  });

  test('PasswordReset checks the code of the given parameters', async () => {
    const fake = fakeApp({ isSignedIn: false, routes: { 'POST /auth/password/reset/check-code': { is_valid: true } } });
    await show(fake, <pages.PasswordReset searchParams={{ code: 'c1' }} />);
    await screen.findByRole('heading', { name: 'Set a new password' });
    expect(fake.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({ code: 'c1' });
  });

  test('changes in AccountSettings reach the hooks of the app', async () => {
    let view = annView;
    const fake = fakeApp({
      routes: {
        'GET /users/me': () => ({ json: view }),
        'PATCH /users/me': ({ body }: { body: object }) => {
          view = { ...view, ...body };
          return { json: view };
        },
      },
    });
    const extraItems = [{ id: 'plan', title: 'Plan', content: 'Your plan' }];
    await show(
      fake,
      <>
        <pages.AccountSettings extraItems={extraItems} />
        <pages.UserButton />
      </>,
    );
    const name = await screen.findByLabelText('Your name', {}, { timeout: 5_000 });
    fireEvent.change(name, { target: { value: 'Ben' } });
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Save' })));
    await screen.findByRole('button', { name: 'Account of Ben' }, { timeout: 5_000 });
    expect(screen.getByRole('link', { name: 'Plan' }).getAttribute('href')).toBe('#plan');
  });

  test('MessageCard runs its actions', async () => {
    const primaryAction = vi.fn();
    await show(
      fakeApp(),
      <pages.MessageCard title="Hello" primaryButtonText="Go" primaryAction={primaryAction}>
        text
      </pages.MessageCard>,
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Go' }));
    expect(primaryAction).toHaveBeenCalledOnce();
  });

  const states: [string, ReactNode, App?][] = [
    ['SignIn', <pages.SignIn key="" />],
    ['SignUp', <pages.SignUp key="" firstTab="password" />],
    ['ForgotPassword', <pages.ForgotPassword key="" />],
    ['PasswordReset without a code', <pages.PasswordReset key="" />],
    ['EmailVerification', <pages.EmailVerification key="" searchParams={{ code: 'c1' }} />],
    ['CredentialSignIn', <pages.CredentialSignIn key="" />],
    ['CredentialSignUp', <pages.CredentialSignUp key="" />],
    ['MagicLinkSignIn', <pages.MagicLinkSignIn key="" />],
    ['OAuthButton', <pages.OAuthButton key="" provider="github" type="sign-in" />],
    ['OAuthButtonGroup', <pages.OAuthButtonGroup key="" type="sign-up" />],
    ['MessageCard', <pages.MessageCard key="" title="Hello" secondaryButtonText="Close" />],
    ['UserAvatar', <pages.UserAvatar key="" user={{ displayName: 'Ann' }} />],
    ['AccountSettings', <pages.AccountSettings key="" />, fakeApp()],
    ['SignIn in the whole window', <pages.SignIn key="" fullPage />],
  ];
  test.each(states)('%s has no problems by axe', async (_, component, fake = fakeApp({ isSignedIn: false })) => {
    const container = await show(fake, component);
    await vi.waitFor(() => expect(container.querySelector('[aria-busy="true"] .gbh-bones')).toBeNull());
    expect(container.textContent).not.toBe('');
    expect(await problems(container)).toEqual([]);
  });

  test('are gray lines on a server', () => {
    const { app, requests } = fakeApp({ tokenStore: 'memory' });
    const html = renderToString(
      <GatebookProvider app={app}>
        <pages.SignIn />
        <pages.UserButton />
      </GatebookProvider>,
    );
    expect(html).toContain('gbh-bones');
    expect(html).toContain('gbh-avatar');
    expect(requests).toEqual([]);
  });
});

describe('mock data', () => {
  const never = () => fakeApp({ isSignedIn: false, routes: { 'GET /users/me': fail, 'GET /projects/current': fail } });
  const fail = () => {
    throw new Error('A preview asks no server.');
  };

  test('are the methods of a sign-in page, which stays where it is', async () => {
    const fake = never();
    const config = {
      ...{ signUpEnabled: true, credentialEnabled: true, passkeyEnabled: false, magicLinkEnabled: false },
      oauthProviders: [{ id: 'google' }],
    };
    await show(fake, <pages.SignIn mockProject={{ config }} />);
    const withGoogle = await screen.findByRole('button', { name: 'Sign in with Google' });
    await act(async () => fireEvent.click(withGoogle));
    fireEvent.change(screen.getByLabelText('Email'), { target: { value: 'ann@example.com' } });
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'right horse' } });
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Sign in' })));
    await screen.findByRole('heading', { name: 'You are signed in' });
    expect([fake.requests, fake.visited, localStorage.length]).toEqual([[], [], 0]);
  });

  test('of a sign-in page with passkeys do not sign in when the pointer moves', async () => {
    const isConditionalMediationAvailable = vi.fn(async () => true);
    vi.stubGlobal(
      'PublicKeyCredential',
      Object.assign(() => {}, { isConditionalMediationAvailable }),
    );
    const methods = { signUpEnabled: true, credentialEnabled: true, magicLinkEnabled: false, oauthProviders: [] };
    await show(never(), <pages.SignIn mockProject={{ config: { ...methods, passkeyEnabled: true } }} />);
    fireEvent.pointerMove(await screen.findByLabelText('Email'));
    await vi.waitFor(() => expect(isConditionalMediationAvailable).toHaveBeenCalled());
    await act(async () => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(screen.queryByRole('heading', { name: 'You are signed in' })).toBeNull();
    vi.unstubAllGlobals();
  });

  test('are the user, keys and sessions of account settings', async () => {
    const fake = never();
    const at = '2026-01-02T03:04:05.000Z';
    history.replaceState(null, '', '#api-keys');
    const preview = (description: string) => (
      <pages.AccountSettings
        mockUser={{ displayName: 'Bea Obi' }}
        mockProject={{ config: { allowUserApiKeys: true, clientTeamCreationEnabled: false } }}
        mockApiKeys={[{ id: 'k1', description, createdAt: at }]}
        mockSessions={[{ id: 's1', isCurrentSession: true, createdAt: at, geoInfo: { ip: '192.0.2.1' } }]}
        extraItems={[{ id: 'plan', title: 'Plan', content: '', iconName: 'CreditCard' }]}
      />
    );
    await show(fake, preview('Deploys'));
    await screen.findByText('Deploys', {}, { timeout: 5_000 });
    expect(screen.getByRole('link', { name: 'Plan' }).querySelector('svg')).not.toBeNull();
    cleanup();
    history.replaceState(null, '', '#sessions');
    await show(fake, preview('Deploys'));
    await screen.findByText('192.0.2.1');
    expect(fake.requests).toEqual([]);
  });

  test('leave the session of the person who looks at the preview', async () => {
    const fake = fakeApp();
    const config = { allowUserApiKeys: false, clientTeamCreationEnabled: false, clientUserDeletionEnabled: true };
    history.replaceState(null, '', '#settings');
    await show(fake, <pages.AccountSettings mockUser={{ displayName: 'Bea Obi' }} mockProject={{ config }} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Delete my account' }, { timeout: 5_000 }));
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Delete account' })));
    expect(fake.app[gatebookInternals].connectionOf().session.isSignedIn()).toBe(true);
  });

  test('are the user and the teams of menus, which do nothing', async () => {
    const fake = never();
    const mockTeams = [
      { id: 't1', displayName: 'Red' },
      { id: 't2', displayName: 'Blue' },
    ];
    await show(
      fake,
      <>
        <pages.UserButton mockUser={{ displayName: 'Bea Obi' }} />
        <pages.SelectedTeamSwitcher
          mockTeams={mockTeams}
          mockUser={{ selectedTeam: { id: 't1', displayName: 'Red' } }}
        />
        <pages.TeamSwitcher mockTeams={mockTeams} />
      </>,
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Account of Bea Obi' }));
    await act(async () => fireEvent.click(screen.getByRole('menuitem', { name: 'Sign out' })));
    fireEvent.click(screen.getByRole('button', { name: 'Team: Red' }));
    await act(async () => fireEvent.click(screen.getByRole('menuitemradio', { name: 'Blue' })));
    await screen.findByRole('button', { name: 'Team: Blue' });
    screen.getByRole('button', { name: 'Team: Select team' });
    expect([fake.requests, fake.visited]).toEqual([[], []]);
  });

  test('of an OAuthButton lead nowhere; a function replaces the sign-in', async () => {
    const fake = never();
    const onAuthenticate = vi.fn(async () => {});
    await show(
      fake,
      <>
        <pages.OAuthButton provider="google" type="sign-in" isMock />
        <pages.OAuthButton provider="github" type="sign-in" isMock onAuthenticate={onAuthenticate} />
      </>,
    );
    for (const name of ['Google', 'GitHub'])
      await act(async () => fireEvent.click(screen.getByRole('button', { name: `Sign in with ${name}` })));
    expect(onAuthenticate).toHaveBeenCalledOnce();
    expect([fake.requests, fake.visited]).toEqual([[], []]);
  });
});

test('OAuthButtonGroup has one button for each provider', async () => {
  const config = { ...projectView.config, enabled_oauth_providers: [{ id: 'github' }, { id: 'google' }] };
  const fake = fakeApp({ isSignedIn: false, routes: { 'GET /projects/current': { ...projectView, config } } });
  await show(fake, <pages.OAuthButtonGroup type="sign-up" />);
  await screen.findByRole('button', { name: 'Sign up with Google' });
  expect(screen.getAllByRole('button')).toHaveLength(2);
});

describe('useCliAuthConfirmation', () => {
  function Confirmation() {
    const { status, error, loginCode, authorize, retry } = pages.useCliAuthConfirmation();
    return (
      <>
        <p>
          {status} {loginCode} {error?.message}
        </p>
        <button type="button" onClick={() => void authorize()}>
          Authorize
        </button>
        <button type="button" onClick={retry}>
          Retry
        </button>
      </>
    );
  }
  const at = (query: string) => history.replaceState(null, '', `/confirm${query}`);
  const click = (name: string) => act(async () => fireEvent.click(screen.getByRole('button', { name })));

  test('approves the login of the page, and can try again after an error', async () => {
    at('?login_code=l1');
    let status = 400;
    const complete = () => ({ status, json: { success: true } });
    const fake = fakeApp({ routes: { 'POST /auth/cli/complete': complete } });
    await show(fake, <Confirmation />);
    await screen.findByText('idle l1');
    await click('Authorize');
    await screen.findByText(/^error l1/);
    await click('Retry');
    await screen.findByText('idle l1');
    status = 200;
    await click('Authorize');
    await screen.findByText('success l1');
    expect(fake.requests.at(-1)?.body).toMatchObject({ login_code: 'l1', refresh_token: 'r1' });
  });

  test('leads signed-out users to the sign-in page, and approves nothing without a code', async () => {
    at('?login_code=l1');
    const fake = fakeApp({ isSignedIn: false });
    await show(fake, <Confirmation />);
    await click('Authorize');
    await screen.findByText('redirecting l1');
    expect(fake.visited[0]).toContain('/handler/sign-in?after_auth_return_to=');
    act(() => void fireEvent(window, Object.assign(new Event('pageshow'), { persisted: true })));
    await screen.findByText('idle l1');
    cleanup();
    at('');
    await show(fakeApp(), <Confirmation />);
    await screen.findByText('invalid');
  });
});
