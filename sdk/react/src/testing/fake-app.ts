import type { GatebookClientAppOptions } from '@gatebook/js';
import { type FakeAnswer, fakeNetwork, type SentRequest, tokenFor } from '../../../js/src/testing.ts';
import { GatebookClientApp } from '../app.ts';

export const annView = {
  ...{ id: 'u1', display_name: 'Ann Achebe', primary_email: 'ann@example.com', primary_email_verified: true },
  ...{ profile_image_url: null, signed_up_at_millis: 1_000, has_password: true, otp_auth_enabled: false },
  ...{ passkey_auth_enabled: false, auth_with_email: true, requires_totp_mfa: false, is_anonymous: false },
  ...{ client_metadata: null, client_read_only_metadata: null, oauth_providers: [] },
  ...{ selected_team_id: null as string | null, selected_team: null as object | null },
};
export const projectView = {
  ...{ id: 'p1', display_name: 'Acme Shop' },
  config: {
    ...{ sign_up_enabled: true, credential_enabled: true, magic_link_enabled: true, passkey_enabled: false },
    ...{ client_team_creation_enabled: true, client_user_deletion_enabled: false },
    ...{ allow_user_api_keys: false, allow_team_api_keys: false, enabled_oauth_providers: [{ id: 'github' }] },
  },
};
export const teamView = (id: string, display_name: string) => ({
  ...{ id, display_name, profile_image_url: null, client_metadata: null, client_read_only_metadata: null },
});

type Routes = Readonly<Record<string, unknown>>;
type Fake = Partial<GatebookClientAppOptions> & {
  /** Responses by method and path below `/api/v1`; functions get the request. */
  routes?: Routes;
  isSignedIn?: boolean;
};

/** An app with a fake server. `visited` lists the URLs it navigated to. */
export function fakeApp({ routes = {}, isSignedIn = true, ...options }: Fake = {}) {
  const known: Routes = { 'GET /users/me': annView, 'GET /projects/current': projectView, ...routes };
  const answer = (request: SentRequest): FakeAnswer => {
    const path = request.url.replace(/^.*\/api\/v1/, '').replace(/\?.*$/, '');
    const found = known[`${request.method} ${path}`];
    if (found === undefined) throw new Error(`No response for ${request.method} ${path}`);
    return typeof found === 'function' ? found(request) : { json: found };
  };
  const { network, requests } = fakeNetwork(answer);
  const visited: string[] = [];
  const app = new GatebookClientApp({
    ...{ baseUrl: 'https://gate.test', projectId: 'p1' },
    tokenStore: isSignedIn ? { accessToken: tokenFor(600_000), refreshToken: 'r1' } : { refreshToken: null },
    redirectMethod: { useNavigate: () => () => {}, navigate: (url) => visited.push(url) },
    parts: { network },
    ...options,
  });
  return { app, requests, visited };
}
