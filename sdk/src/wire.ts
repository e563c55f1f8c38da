/** Shapes that travel over HTTP (protocol/resources.md, projects.md); replaced by the contract's own types. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type TokensView = { access_token: string; refresh_token: string; user_id: string };
export type List<Item> = { items: Item[] };

export type ServerUserView = {
  id: string;
  display_name: string | null;
  primary_email: string | null;
  primary_email_verified: boolean;
  primary_email_auth_enabled: boolean;
  profile_image_url: string | null;
  signed_up_at_millis: number;
  last_active_at_millis: number;
  has_password: boolean;
  otp_auth_enabled: boolean;
  passkey_auth_enabled: boolean;
  requires_totp_mfa: boolean;
  is_anonymous: boolean;
  client_metadata: Json;
  client_read_only_metadata: Json;
  server_metadata: Json;
  oauth_providers: { id: string; account_id: string; email: string | null }[];
};
export type ClientUserView = Omit<
  ServerUserView,
  'primary_email_auth_enabled' | 'last_active_at_millis' | 'server_metadata'
>;
export type UserListView = { items: ServerUserView[]; pagination: { next_cursor: string | null } };

export type SessionView = {
  id: string;
  user_id: string;
  created_at: number;
  is_impersonation: boolean;
  last_used_at?: number;
  is_current_session?: boolean;
  last_used_at_end_user_ip_info?: {
    ip: string;
    countryCode?: string | null;
    regionCode?: string | null;
    cityName?: string | null;
  };
};

export type ProjectConfigView = {
  sign_up_enabled: boolean;
  credential_enabled: boolean;
  magic_link_enabled: boolean;
  passkey_enabled: boolean;
  client_team_creation_enabled: boolean;
  client_user_deletion_enabled: boolean;
  allow_user_api_keys: boolean;
  allow_team_api_keys: boolean;
  allow_localhost: boolean;
  create_team_on_sign_up: boolean;
  oauth_providers: { id: string; type: 'shared' | 'standard' }[];
  domains: { domain: string; handler_path: string }[];
};
export type ProjectView = {
  id: string;
  display_name: string;
  description: string;
  created_at_millis: number;
  user_count: number;
  is_production_mode: boolean;
  config: ProjectConfigView;
};
export type ProjectPatch = {
  display_name?: string;
  description?: string | null;
  is_production_mode?: boolean;
  config?: Partial<ProjectConfigView>;
};
export type ProjectSettingsView = { anonymous_sign_up_enabled: boolean; keyless_clients_allowed: boolean };

type KeyFacts = { id: string; description: string; created_at_millis: number; expires_at_millis: number };
export type ProjectKeyFirstView = KeyFacts & {
  publishable_client_key?: string;
  secret_server_key?: string;
  super_secret_admin_key?: string;
};
export type ProjectKeyView = KeyFacts & {
  manually_revoked_at_millis?: number;
  publishable_client_key?: { last_four: string };
  secret_server_key?: { last_four: string };
  super_secret_admin_key?: { last_four: string };
};

export type MetricsView = {
  total_users: number;
  daily_users: { date: string; activity: number }[];
  daily_active_users: { date: string; activity: number }[];
  users_by_country: Record<string, number>;
  recently_registered: ServerUserView[];
  recently_active: ServerUserView[];
  login_methods: { method: string; count: number }[];
};

export type HistoryView = {
  items: {
    id: string;
    type: string;
    text: string;
    at_millis: number;
    actor: { kind: string; id: string | null; display_name: string | null };
  }[];
  next_before: string | null;
};

export type OperationsView = {
  head: string;
  followers: {
    name: string;
    generation: string;
    position: string;
    lag: string;
    state: string;
    error: string | null;
  }[];
  generations: {
    set: string;
    id: string;
    version: number;
    state: string;
    position: string;
    created_at_millis: number;
  }[];
  log: Record<string, Json>;
};
