import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, type Mock, vi } from 'vitest';
import type { CliLoginClient } from '../../../auth/cli-login.ts';
import type { OAuthClient } from '../../../auth/oauth.ts';
import type { AuthClient } from '../../../auth.ts';
import type { CurrentProject } from '../../../current-project.ts';
import type { KnownErrorCode } from '../../../error-codes.ts';
import { KnownError } from '../../../errors.ts';
import { createRedirects } from '../../../redirects.ts';
import type { TeamInvitationsClient } from '../../../team-invitations.ts';
import { resolveUrls, type Urls } from '../../../urls.ts';
import type { CurrentUser } from '../../../users.ts';
import type { HandlerApp } from '../context.ts';
import { HandlerPages, type HandlerPagesProps } from '../handler-pages.tsx';

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
  isAnonymous: false,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  oauthProviders: [],
};

export type Fake = {
  /** Below `/handler/`. */
  path: string;
  user?: CurrentUser | null;
  config?: Partial<CurrentProject['config']>;
  auth?: Partial<AuthClient>;
  oauth?: Partial<OAuthClient>;
  complete?: CliLoginClient['complete'];
  invitations?: Partial<TeamInvitationsClient>;
  urls?: Partial<Urls>;
  props?: Partial<HandlerPagesProps>;
};

/** Shows one page of the handler with a fake app. `went` holds the addresses that it asked for, in order. */
export function showPage({
  path,
  user = null,
  config = {},
  auth = {},
  oauth = {},
  complete,
  invitations = {},
  urls: own,
  props,
}: Fake) {
  history.replaceState(null, '', `/handler/${path}`);
  const went: string[] = [];
  const urls = resolveUrls(own);
  const project: CurrentProject = {
    id: 'p1',
    displayName: 'Acme Shop',
    config: {
      ...{ signUpEnabled: true, credentialEnabled: true, magicLinkEnabled: true, passkeyEnabled: false },
      ...{ clientTeamCreationEnabled: false, clientUserDeletionEnabled: false },
      ...{ allowUserApiKeys: false, allowTeamApiKeys: false, oauthProviders: [] },
      ...config,
    },
  };
  const invalidate = vi.fn();
  const app: HandlerApp = {
    urls,
    redirects: createRedirects({
      urls,
      method: { navigate: (url, { replace }) => went.push(replace ? `instead ${url}` : url) },
      pause: () => new Promise(() => {}), // a page that is left does nothing any more
    }),
    session: {
      isSignedIn: () => user !== null,
      tokens: async () => (user === null ? null : { accessToken: 'a1', refreshToken: 'r1' }),
      markExpired: () => {},
      adopt: () => {},
      invalidate,
      subscribe: () => () => {},
    },
    auth: new Proxy({ ...auth } as AuthClient, {
      get: (given, name: keyof AuthClient) =>
        given[name] ?? (() => Promise.reject(new Error(`${String(name)} must not be called`))),
    }),
    oauth: {
      ...{ signInWithOAuth: mustNotBeCalled, linkWithOAuth: mustNotBeCalled },
      ...{ finishOAuth: mustNotBeCalled, callOAuthCallback: mustNotBeCalled },
      ...oauth,
    },
    cliLogin: {
      start: mustNotBeCalled,
      poll: mustNotBeCalled,
      complete: complete ?? mustNotBeCalled,
    },
    teamInvitations: { check: mustNotBeCalled, find: mustNotBeCalled, accept: mustNotBeCalled, ...invitations },
    project: { find: async () => project },
    getUser: async () => user,
  };
  render(<HandlerPages app={app} {...props} />);
  return { went, invalidate };
}

const mustNotBeCalled = (): Promise<never> => Promise.reject(new Error('must not be called'));

/** Waits for a page, or a step of one, by its title. */
export function title(name: string | RegExp): Promise<HTMLElement> {
  return screen.findByRole('heading', { level: 1, name });
}

export function fill(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

export async function press(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name }));
}

/** A call that succeeds with `value`, and notes what it was called with. */
export function answers<Value>(value: Value): Mock<(...given: unknown[]) => Promise<Value>> {
  return vi.fn(async () => value);
}

/** A call that the server refuses. */
export const refused =
  (code: KnownErrorCode, details: Record<string, unknown> = {}) =>
  async (): Promise<never> => {
    throw new KnownError(code, 400, `text of ${code}`, details);
  };
