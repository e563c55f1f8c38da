import {
  type ApiKeysClient,
  type AuthClient,
  type CliLoginClient,
  type ContactChannelsClient,
  type CurrentProject,
  type CurrentUser,
  createRedirects,
  type MeClient,
  type OAuthClient,
  type OwnTeamsClient,
  resolveUrls,
  type SessionsClient,
  type TeamInvitationsClient,
  type Urls,
} from '@gatebook/js/core';
import { KnownError, type KnownErrorCode } from '@gatebook/js/errors';
import { act, cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, type Mock, vi } from 'vitest';
import type { HandlerApp } from '../context.ts';
import { HandlerPages, type HandlerPagesProps } from '../handler-pages.tsx';

/** Saved changes appear after a refresh, and refreshes are 300 ms apart. Some pages are loaded on demand. */
configure({ asyncUtilTimeout: 5_000 });
afterEach(cleanup);

export const ann: CurrentUser = {
  id: 'u1',
  displayName: 'Ann Achebe',
  primaryEmail: 'ann@example.com',
  primaryEmailVerified: true,
  profileImageUrl: null,
  signedUpAt: new Date(0),
  hasPassword: true,
  otpAuthEnabled: true,
  passkeyAuthEnabled: false,
  isMultiFactorRequired: false,
  restriction: null,
  restrictedByAdmin: false,
  restrictedByAdminReason: null,
  isAnonymous: false,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  oauthProviders: [],
};

export type Fake = {
  /** Below `/handler/`. */
  path: string;
  /** A function if it changes while the page is shown. */
  user?: CurrentUser | null | (() => CurrentUser | null);
  config?: Partial<CurrentProject['config']>;
  auth?: Partial<AuthClient>;
  oauth?: Partial<OAuthClient>;
  me?: Partial<MeClient>;
  sessions?: Partial<SessionsClient>;
  session?: Partial<HandlerApp['session']>;
  channels?: Partial<ContactChannelsClient>;
  apiKeys?: Partial<ApiKeysClient>;
  complete?: CliLoginClient['complete'];
  invitations?: Partial<TeamInvitationsClient>;
  teams?: Partial<OwnTeamsClient>;
  urls?: Partial<Urls>;
  props?: Partial<HandlerPagesProps>;
};

/**
 * Renders a handler page with a fake app. `visited` lists the URLs it navigated to; `changeSession` is a sign-in
 * elsewhere.
 */
export function showPage({
  path,
  user = null,
  config = {},
  auth = {},
  oauth = {},
  me = {},
  sessions = {},
  session = {},
  channels = {},
  apiKeys = {},
  complete,
  invitations = {},
  teams = {},
  urls: overrides,
  props,
}: Fake) {
  const currentUser = typeof user === 'function' ? user : () => user;
  history.replaceState(null, '', `/handler/${path}`);
  const visited: string[] = [];
  const urls = resolveUrls(overrides);
  const project: CurrentProject = {
    id: 'p1',
    displayName: 'Acme Shop',
    config: {
      signUpEnabled: true,
      credentialEnabled: true,
      magicLinkEnabled: true,
      passkeyEnabled: false,
      clientTeamCreationEnabled: false,
      clientUserDeletionEnabled: false,
      allowUserApiKeys: false,
      allowTeamApiKeys: false,
      oauthProviders: [],
      minPasswordLength: 8,
      branding: { logoUrl: null, darkLogoUrl: null, accentColor: null },
      ...config,
    },
  };
  const invalidate = vi.fn();
  const listeners = new Set<() => void>();
  const app: HandlerApp = {
    urls,
    redirects: createRedirects({
      urls,
      method: { navigate: (url, { replace }) => visited.push(replace ? `replace ${url}` : url) },
      pause: () => new Promise(() => {}), // A page that navigated away does nothing more.
    }),
    session: {
      isSignedIn: () => currentUser() !== null,
      tokens: async () => (currentUser() === null ? null : { accessToken: 'a1', refreshToken: 'r1' }),
      tokensOf: async () => null,
      markExpired: () => {},
      adopt: () => {},
      invalidate,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      ...session,
    },
    auth: fakeClient<AuthClient>(auth),
    oauth: fakeClient<OAuthClient>(oauth),
    me: fakeClient<MeClient>(me),
    sessions: fakeClient<SessionsClient>(sessions),
    contactChannels: fakeClient<ContactChannelsClient>(channels),
    apiKeys: fakeClient<ApiKeysClient>(apiKeys),
    cliLogin: fakeClient<CliLoginClient>(complete ? { complete } : {}),
    teamInvitations: fakeClient<TeamInvitationsClient>(invitations),
    teams: fakeClient<OwnTeamsClient>({ list: async () => [], ...teams }),
    project: { find: async () => project },
    getUser: async ({ or = 'return-null' } = {}) => {
      const found = currentUser();
      return found?.isAnonymous && !or.startsWith('anonymous') ? null : found;
    },
  };
  render(<HandlerPages app={app} lang="en" {...props} />);
  const changeSession = () =>
    act(async () => {
      for (const listener of listeners) listener();
    });
  return { visited, invalidate, changeSession };
}

/** A client that fails every call that is not given. */
function fakeClient<Client extends object>(given: Partial<Client>): Client {
  return new Proxy(given as Client, {
    get: (client, name) =>
      Reflect.get(client, name) ?? (() => Promise.reject(new Error(`${String(name)} must not be called`))),
  });
}

/** Waits for the page with this title. */
export function title(name: string | RegExp): Promise<HTMLElement> {
  return screen.findByRole('heading', { level: 1, name });
}

export function fill(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

export async function press(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name }));
}

/** A mock that resolves to `value`. */
export function answers<Value>(value: Value): Mock<(...given: unknown[]) => Promise<Value>> {
  return vi.fn(async () => value);
}

/** A call that the server rejects with a known error. */
export const rejected =
  (code: KnownErrorCode, details: Record<string, unknown> = {}) =>
  async (): Promise<never> => {
    throw new KnownError(code, 400, `text of ${code}`, details);
  };
