/**
 * The tables of the bare server: one row per user with everything that its answers contain, and the indexes that its
 * reads need.
 */
export const bareTables = `
  create extension if not exists pg_trgm;
  create table users (
    id uuid primary key,
    display_name text,
    primary_email text,
    primary_email_verified boolean not null,
    primary_email_auth_enabled boolean not null,
    profile_image_url text,
    signed_up_at_millis float8 not null,
    last_active_at_millis float8 not null,
    has_password boolean not null,
    password_hash text,
    otp_auth_enabled boolean not null default false,
    passkey_auth_enabled boolean not null default false,
    auth_with_email boolean not null,
    requires_totp_mfa boolean not null default false,
    is_anonymous boolean not null default false,
    client_metadata jsonb,
    client_read_only_metadata jsonb,
    server_metadata jsonb,
    oauth_providers jsonb not null default '[]',
    selected_team_id uuid,
    selected_team jsonb,
    searched text generated always as (coalesce(display_name, '') || ' ' || coalesce(primary_email, '')) stored
  );
  create table sessions (
    id uuid primary key,
    user_id uuid not null,
    refresh_token_hash text not null unique,
    expires_at timestamptz not null
  );
  create table codes (hash text primary key, user_id uuid not null, expires_at timestamptz not null);
  create table api_keys (
    hash text primary key,
    id uuid not null,
    user_id uuid not null,
    description text not null,
    is_public boolean not null,
    created_at_millis float8 not null,
    expires_at_millis float8,
    manually_revoked_at_millis float8,
    last_four text not null
  );
`;

/** Made after the rows, which is faster. */
export const bareIndexes = `
  create unique index users_by_email on users (primary_email);
  create index users_by_sign_up on users (signed_up_at_millis, id);
  create index users_by_text on users using gin (searched gin_trgm_ops);
`;

export const clientColumns = [
  ...['id', 'display_name', 'primary_email', 'primary_email_verified', 'profile_image_url', 'signed_up_at_millis'],
  ...[
    'has_password',
    'otp_auth_enabled',
    'passkey_auth_enabled',
    'auth_with_email',
    'requires_totp_mfa',
    'is_anonymous',
  ],
  ...['client_metadata', 'client_read_only_metadata', 'oauth_providers', 'selected_team_id', 'selected_team'],
];
export const serverColumns = [
  ...clientColumns,
  ...['primary_email_auth_enabled', 'last_active_at_millis', 'server_metadata'],
];
