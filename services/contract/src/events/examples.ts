const uuid = (last: number) => `1f0d7a52-6c1e-4b59-9d0e-00000000000${last}`;

export const exampleIds = {
  user: uuid(1),
  team: uuid(2),
  session: uuid(3),
  channel: uuid(4),
  account: uuid(5),
  key: uuid(6),
  invitation: uuid(7),
  project: uuid(8),
  endpoint: uuid(9),
};

export const exampleTeam = {
  id: exampleIds.team,
  display_name: 'Analytical Engines',
  profile_image_url: null,
  client_metadata: null,
  client_read_only_metadata: { plan: 'pro' },
  created_at_millis: 1_769_342_400_000,
  server_metadata: null,
};

export const exampleUser = {
  id: exampleIds.user,
  display_name: 'Ada Lovelace',
  primary_email: 'ada@example.com',
  primary_email_verified: true,
  primary_email_auth_enabled: true,
  profile_image_url: null,
  signed_up_at_millis: 1_769_342_400_000,
  has_password: true,
  otp_auth_enabled: false,
  passkey_auth_enabled: false,
  auth_with_email: true,
  requires_totp_mfa: false,
  is_anonymous: false,
  client_metadata: null,
  client_read_only_metadata: null,
  oauth_providers: [],
  selected_team_id: exampleIds.team,
  is_restricted: false,
  restricted_reason: null,
  restricted_by_admin: false,
  restricted_by_admin_reason: null,
  restricted_by_admin_private_details: null,
  country_code: null,
  risk_scores: { sign_up: { bot: 0, free_trial_abuse: 0 } },
  selected_team: exampleTeam,
  last_active_at_millis: 1_769_342_400_000,
  server_metadata: null,
};
