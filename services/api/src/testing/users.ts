import { expect } from 'vitest';
import { changeConfig, type OwnedProject, type Send } from './requests.ts';

export const asServer = { access: 'server' as const };

/** How a project's server makes and changes its users, and its owner the configuration. */
export const userCallsOf = (send: Send, project: OwnedProject) => ({
  create: (body: Record<string, unknown>, call = {}) =>
    send('POST', '/users', { ...project, ...asServer, body, ...call }),
  patch: (id: string, body: Record<string, unknown>, call = {}) =>
    send('PATCH', `/users/${id}`, { ...project, ...asServer, body, ...call }),
  configured: (config: Record<string, unknown>) => changeConfig(send, project, config),
});

/** A user as servers see it. */
export const serverView = (facts: Record<string, unknown> = {}) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  display_name: null,
  primary_email: null,
  primary_email_verified: false,
  primary_email_auth_enabled: false,
  profile_image_url: null,
  signed_up_at_millis: expect.any(Number),
  last_active_at_millis: expect.any(Number),
  has_password: false,
  otp_auth_enabled: false,
  passkey_auth_enabled: false,
  auth_with_email: false,
  requires_totp_mfa: false,
  is_anonymous: false,
  client_metadata: null,
  client_read_only_metadata: null,
  server_metadata: null,
  oauth_providers: [],
  selected_team_id: null,
  selected_team: null,
  ...facts,
});
