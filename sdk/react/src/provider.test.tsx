// @vitest-environment happy-dom

import { act, cleanup, render, screen } from '@testing-library/react';
import { Component, type ReactNode, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { tokenFor } from '../../js/src/testing.ts';
import { GatebookProvider, GatebookTheme, useGatebookApp, useUser } from './index.ts';
import { annView, fakeApp, teamView } from './testing/fake-app.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

class Boundary extends Component<{ children: ReactNode }, { message: string | null }> {
  override state = { message: null };
  static getDerivedStateFromError = (error: Error) => ({ message: error.message });
  override render() {
    return this.state.message ?? this.props.children;
  }
}

/** Renders `children` inside a provider; `loading` shows while they are suspended. */
async function show({ app }: Pick<ReturnType<typeof fakeApp>, 'app'>, children: ReactNode) {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await act(async () => {
    render(
      <GatebookProvider app={app}>
        <Boundary>
          <Suspense fallback="loading">{children}</Suspense>
        </Boundary>
      </GatebookProvider>,
    );
  });
  return document.body;
}

function Name(options: Parameters<typeof useUser>[0]) {
  const user = useUser(options);
  return <p>{user ? `user ${user.displayName ?? user.id}` : 'nobody'}</p>;
}

describe('useUser', () => {
  test('suspends until the user is loaded, with one request for all components', async () => {
    const fake = fakeApp();
    await show(
      fake,
      <>
        <Name />
        <Name or="throw" />
      </>,
    );
    expect(await screen.findAllByText('user Ann Achebe')).toHaveLength(2);
    expect(fake.requests.map(({ url }) => url)).toEqual(['https://gate.test/api/v1/users/me']);
  });

  test('renders again after a change of the user', async () => {
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
    await show(fake, <Name />);
    await screen.findByText('user Ann Achebe');
    const user = await fake.app.getUser({ or: 'throw' });
    await act(() => user.setDisplayName('Ben'));
    expect(await screen.findByText('user Ben')).toBeDefined();
  });

  test('is null without a user', async () => {
    const body = await show(fakeApp({ isSignedIn: false }), <Name />);
    expect(body.textContent).toBe('nobody');
  });

  test('throws without a user if asked to', async () => {
    const body = await show(fakeApp({ isSignedIn: false }), <Name or="throw" />);
    expect(body.textContent).toBe('No user is signed in.');
  });

  test('redirects to the sign-in page once, and stays suspended', async () => {
    const fake = fakeApp({ isSignedIn: false });
    const body = await show(
      fake,
      <>
        <Name or="redirect" />
        <Name or="redirect" />
      </>,
    );
    await act(() => fake.app.getUser());
    expect(fake.visited).toEqual([expect.stringMatching(/^\/handler\/sign-in\?/)]);
    expect(body.textContent).toBe('loading');
  });

  test('shows the user after a sign-in elsewhere', async () => {
    const fake = fakeApp({
      isSignedIn: false,
      routes: {
        'POST /auth/password/sign-in': {
          ...{ access_token: tokenFor(600_000), refresh_token: 'r1', user_id: 'u1' },
        },
      },
    });
    await show(fake, <Name or="redirect" />);
    await act(async () => {
      await fake.app.signInWithCredential({ email: 'ann@example.com', password: 'right horse', noRedirect: true });
    });
    expect(await screen.findByText('user Ann Achebe')).toBeDefined();
  });

  const anonymous = { ...annView, display_name: null, is_anonymous: true };
  const signUp = { access_token: tokenFor(600_000), refresh_token: 'r1', user_id: 'u1' };
  test('signs up an anonymous user', async () => {
    const fake = fakeApp({
      isSignedIn: false,
      routes: { 'GET /users/me': anonymous, 'POST /auth/anonymous/sign-up': signUp },
    });
    await show(
      fake,
      <>
        <Name or="anonymous" />
        <Name or="anonymous" />
      </>,
    );
    expect(await screen.findAllByText('user u1')).toHaveLength(2);
    expect(fake.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('throws what went wrong', async () => {
    const fake = fakeApp({
      isSignedIn: false,
      routes: { 'POST /auth/anonymous/sign-up': () => ({ status: 400, text: 'no guests' }) },
    });
    const body = await show(fake, <Name or="anonymous" />);
    await vi.waitFor(() => expect(body.textContent).toContain('no guests'));
  });

  test('needs the given project', async () => {
    const body = await show(fakeApp(), <Name projectIdMustMatch="p2" />);
    expect(body.textContent).toContain('project p1, not of p2');
  });

  test('renders the fallback on a server, without a request', () => {
    const { app, requests } = fakeApp();
    const html = renderToString(
      <GatebookProvider app={app}>
        <Suspense fallback="loading">
          <Name />
        </Suspense>
      </GatebookProvider>,
    );
    expect(html).toContain('loading');
    expect(requests).toEqual([]);
  });
});

describe('hooks of objects', () => {
  function Members() {
    const app = useGatebookApp();
    const user = app.useUser({ or: 'throw' });
    const [team] = user.useTeams();
    const members = team?.useUsers() ?? [];
    return (
      <p>
        {app.useProject().displayName}: {team?.displayName} has {members.length}
      </p>
    );
  }

  test('read through every object', async () => {
    const member = { user_id: 'u1', display_name: 'Ann', profile_image_url: null };
    const fake = fakeApp({
      routes: {
        'GET /teams': { items: [teamView('t1', 'Red')] },
        'GET /team-member-profiles': { items: [member, member] },
      },
    });
    await show(fake, <Members />);
    expect(await screen.findByText('Acme Shop: Red has 2')).toBeDefined();
  });

  test('throw the error of the read', async () => {
    const fake = fakeApp({ routes: { 'GET /teams': () => ({ status: 400, text: 'no teams today' }) } });
    const body = await show(fake, <Members />);
    await vi.waitFor(() => expect(body.textContent).toContain('no teams today'));
  });
});

test('useGatebookApp throws outside a provider', () => {
  const Orphan = () => useGatebookApp().projectId;
  vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(() => render(<Orphan />)).toThrow('Render a GatebookProvider');
});

test('GatebookTheme sets properties, with a nonce, and keeps values inside their declarations', () => {
  const theme = { light: { mutedForeground: 'red' }, dark: { primary: '#fff}</style>' }, radius: '2px' };
  const html = renderToString(<GatebookTheme theme={theme} nonce="n1" />);
  expect(html).toBe(
    '<style nonce="n1">:root{--gatebook-light-muted-foreground:red;--gatebook-dark-primary:#fff/style;--gatebook-radius:2px;}</style>',
  );
});
