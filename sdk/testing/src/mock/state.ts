/** An object as the API sends it. */
export type View = { id: string; [field: string]: unknown };
export type MockedUser = {
  view: View;
  password: string | null;
  teamIds: Set<string>;
  permissions: Set<string>;
  /** By team. */
  teamPermissions: Map<string, Set<string>>;
};
export type SentEmail = { to: string; code: string; link: string | null };
export type State = {
  project: View & { config: Record<string, unknown> };
  users: Map<string, MockedUser>;
  teams: Map<string, View>;
  /** User IDs by refresh token. */
  sessions: Map<string, string>;
  emails: SentEmail[];
  /** User IDs by one-time code: of emails, and of providers. */
  codes: Map<string, string>;
  /** The email of the user whom providers sign in. */
  providerEmail: string;
  createId(): string;
};

/** IDs are the same in each run. */
export function createIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}

const signedUpAt = 1_767_225_600_000;

function userView(id: string, fields: object = {}): View {
  return {
    ...{ id, display_name: null, primary_email: null, primary_email_verified: false, primary_email_auth_enabled: true },
    ...{ profile_image_url: null, signed_up_at_millis: signedUpAt, last_active_at_millis: signedUpAt },
    ...{ has_password: false, otp_auth_enabled: false, passkey_auth_enabled: false, auth_with_email: false },
    ...{ requires_totp_mfa: false, is_anonymous: false, is_restricted: false, restricted_reason: null },
    ...{ client_metadata: null, client_read_only_metadata: null, server_metadata: null, oauth_providers: [] },
    ...{ selected_team_id: null, selected_team: null, restricted_by_admin: false },
    ...fields,
  };
}

export const teamView = (id: string, fields: object = {}): View => ({
  ...{ id, display_name: 'Team', profile_image_url: null, created_at_millis: signedUpAt },
  ...{ client_metadata: null, client_read_only_metadata: null, server_metadata: null },
  ...fields,
});

export const projectView = (id: string, config: object): State['project'] => ({
  ...{ id, display_name: 'Test' },
  config: {
    ...{ sign_up_enabled: true, credential_enabled: true, magic_link_enabled: true, passkey_enabled: false },
    ...{ client_team_creation_enabled: true, client_user_deletion_enabled: true },
    ...{ allow_user_api_keys: true, allow_team_api_keys: true, enabled_oauth_providers: [{ id: 'github' }] },
    ...config,
  },
});

export function addUser(state: State, fields: object, password: string | null = null): MockedUser {
  const view = userView(state.createId(), { has_password: password !== null, ...fields });
  const user = {
    view,
    password,
    teamIds: new Set<string>(),
    permissions: new Set<string>(),
    teamPermissions: new Map(),
  };
  state.users.set(view.id, user);
  return user;
}

export function addTeam(state: State, fields: object, creator: MockedUser | null): View {
  const team = teamView(state.createId(), fields);
  state.teams.set(team.id, team);
  creator?.teamIds.add(team.id);
  return team;
}

export const findByEmail = (state: State, email: unknown): MockedUser | undefined =>
  [...state.users.values()].find(({ view }) => view.primary_email === email);

export type Tokens = { access_token: string; refresh_token: string };

export function startSession(state: State, user: MockedUser): Tokens & { user_id: string } {
  const refreshToken = state.createId();
  state.sessions.set(refreshToken, user.view.id);
  return { access_token: accessTokenOf(user, refreshToken), refresh_token: refreshToken, user_id: user.view.id };
}

const LIFE_SECONDS = 600;

/** With the claims of a real token, without a signature. */
export function accessTokenOf({ view }: MockedUser, refreshToken: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ sub: view.id, iat: seconds, exp: seconds + LIFE_SECONDS, role: 'authenticated', branch_id: 'main' },
    ...{ refresh_token_id: refreshToken, name: view.display_name, email: view.primary_email },
    ...{ email_verified: view.primary_email_verified, selected_team_id: view.selected_team_id },
    ...{ is_anonymous: view.is_anonymous, is_restricted: view.is_restricted, restricted_reason: null },
    ...{ requires_totp_mfa: false, signed_up_at: signedUpAt / 1000 },
  };
  return [{ alg: 'none' }, claims, 'mock'].map(toBase64Url).join('.');
}

function toBase64Url(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
