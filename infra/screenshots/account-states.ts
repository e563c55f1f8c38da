import type { Page } from 'playwright-core';
import { alert, answer, asMaya, both, fill, maya, ok, type PageState, press, reject, silence, type } from './steps.ts';

const DAY_MS = 86_400_000;
const at = Date.UTC(2026, 4, 11, 8, 30);
const list = (...items: object[]) => ok({ items, is_paginated: false });
const address = (id: string, value: string, overrides: object) => ({
  id,
  value,
  user_id: maya.id,
  type: 'email',
  is_primary: false,
  is_verified: true,
  used_for_auth: false,
  ...overrides,
});
const session = (id: string, days: number, overrides: object = {}) => ({
  id,
  user_id: maya.id,
  is_impersonation: false,
  is_current_session: false,
  created_at: at - days * DAY_MS,
  last_used_at: at,
  last_used_at_end_user_ip_info: { ip: '192.0.2.7', cityName: 'Malmö', countryCode: 'SE' },
  ...overrides,
});
const key = (id: string, description: string, overrides: object = {}) => ({
  id,
  description,
  type: 'user',
  user_id: maya.id,
  is_public: false,
  value: { last_four: 'k3wp' },
  created_at_millis: at - 40 * DAY_MS,
  expires_at_millis: at + 4_000 * DAY_MS,
  ...overrides,
});

const me = (overrides: object) => both(asMaya, answer('/users/me', ok({ ...maya, ...overrides })));
/** A project with all features enabled. */
const fullConfig = {
  credential_enabled: true,
  magic_link_enabled: true,
  passkey_enabled: true,
  client_user_deletion_enabled: true,
  allow_user_api_keys: true,
  enabled_oauth_providers: ['google', 'github', 'gitlab'].map((id) => ({ id })),
};
const withFullConfig = async (page: Page): Promise<void> => {
  await page.route('**/api/v1/projects/current', async (route) => {
    const { 'x-stack-access-token': _made, 'x-stack-refresh-token': _up, ...headers } = route.request().headers();
    const json = await (await route.fetch({ headers })).json();
    await route.fulfill({ json: { ...json, config: { ...json.config, ...fullConfig } } });
  });
};
const team = { id: 't1', display_name: 'Harbour crew', profile_image_url: null };
export const fullAccount = both(
  me({
    has_password: true,
    otp_auth_enabled: true,
    passkey_auth_enabled: false,
    requires_totp_mfa: false,
    oauth_providers: [{ id: 'github', account_id: '5831', email: 'maya@work.example' }],
  }),
  withFullConfig,
  answer(
    '/contact-channels?**',
    list(
      address('c1', maya.primary_email, { is_primary: true, used_for_auth: true }),
      address('c2', 'maya@work.example', { used_for_auth: true }),
      address('c3', 'a.rather.long.address.of.maya@somewhere.example', { is_verified: false }),
    ),
  ),
  answer(
    '/auth/sessions?**',
    list(
      session('s1', 0, { is_current_session: true }),
      session('s2', 3),
      session('s3', 30, { is_impersonation: true }),
    ),
  ),
  answer(
    '/user-api-keys?**',
    list(key('k1', 'Backup script'), key('k2', 'Old laptop', { manually_revoked_at_millis: at })),
  ),
  answer('/teams?**', list(team)),
);
const member = (user_id: string, display_name: string) => ({ team_id: team.id, user_id, display_name });
const fullTeam = both(
  fullAccount,
  answer('/team-permissions?**', list({ id: '$update_team' }, { id: '$read_members' }, { id: '$invite_members' })),
  answer('/team-member-profiles?**', list(member(maya.id, 'Maya Lindqvist'), member('u2', 'Ola Berg'))),
  answer('/team-member-profiles/t1/me', ok(member(maya.id, 'Maya Lindqvist'))),
  answer(
    '/team-invitations?**',
    list({ id: 'i1', team_id: team.id, recipient_email: 'ida@work.example', expires_at_millis: at + 90 * DAY_MS }),
  ),
  answer('/team-api-keys?**', list()),
);
const emptyAccount = both(
  me({ has_password: false, otp_auth_enabled: false, passkey_auth_enabled: false, primary_email: null }),
  withFullConfig,
  ...['/contact-channels?**', '/auth/sessions?**', '/user-api-keys?**', '/teams?**'].map((path) =>
    answer(path, list()),
  ),
);
/** Makes random values constant, so that screenshots can be compared. */
async function withConstantRandom(page: Page): Promise<void> {
  await page.addInitScript(() => {
    crypto.getRandomValues = <Bytes extends ArrayBufferView<ArrayBuffer>>(bytes: Bytes) =>
      bytes instanceof Uint8Array ? bytes.fill(7) : bytes;
  });
}

export const accountStates: Readonly<Record<string, PageState>> = {
  account: { path: 'account-settings', before: fullAccount },
  'account-loading': {
    isLoading: true,
    path: 'account-settings#sessions',
    before: both(fullAccount, answer('/auth/sessions?**', silence)),
  },
  'account-profile': { path: 'account-settings#profile', before: fullAccount },
  'account-auth': { path: 'account-settings#auth', before: fullAccount },
  'account-auth-empty': { path: 'account-settings#auth', before: emptyAccount },
  'account-auth-failed': {
    path: 'account-settings#auth',
    before: both(
      fullAccount,
      answer('/contact-channels?**', (route) => route.fulfill({ status: 500, body: '' })),
    ),
    act: alert,
  },
  'account-link-rejected': {
    path: 'account-settings#auth',
    before: both(
      fullAccount,
      answer('/auth/oauth/authorize/**', reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', 400)),
    ),
    act: both(press('Link Google'), alert),
  },
  'account-password': {
    path: 'account-settings#auth',
    before: fullAccount,
    act: both(press('Change password'), fill('New password', 'short'), press('Save password'), alert),
  },
  'account-second-factor': {
    path: 'account-settings#auth',
    before: both(fullAccount, withConstantRandom),
    act: both(
      press('Set up two-factor authentication'),
      (page) => page.getByLabel('Code from the app').focus(),
      type('000000'),
      alert,
    ),
  },
  'account-team': { path: 'account-settings#team-t1', before: fullTeam },
  'account-sessions': { path: 'account-settings#sessions', before: fullAccount },
  'account-sessions-asking': {
    path: 'account-settings#sessions',
    before: fullAccount,
    act: both(press('Sign out everywhere else'), (page) =>
      page
        .getByRole('button', { name: /^Sign out of the session/ })
        .first()
        .click(),
    ),
  },
  'account-api-keys': { path: 'account-settings#api-keys', before: fullAccount, act: press('Create API key') },
  'account-api-keys-empty': { path: 'account-settings#api-keys', before: emptyAccount },
  'account-leaving': { path: 'account-settings#settings', before: fullAccount, act: press('Delete my account') },
};
