import type { Table } from '@gatebook/projections/changes';
import { searchText } from './search-text.ts';
import { sortEmail, sortName } from './sort-keys.ts';

export const usersTables: readonly Table[] = [
  {
    name: 'users',
    columns: {
      id: { type: 'uuid' },
      project_id: { type: 'text' },
      display_name: { type: 'text', isNullable: true, isPersonal: true },
      profile_image_url: { type: 'text', isNullable: true, isPersonal: true },
      client_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      client_read_only_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      server_metadata: { type: 'jsonb', isNullable: true, isPersonal: true },
      is_anonymous: { type: 'boolean' },
      has_password: { type: 'boolean', default: false },
      otp_auth_enabled: { type: 'boolean', default: false },
      passkey_auth_enabled: { type: 'boolean', default: false },
      requires_totp_mfa: { type: 'boolean', default: false },
      /** Most users have no accounts, so skip reading `oauth_accounts` for them. */
      has_oauth_accounts: { type: 'boolean', default: false },
      /** Revision of the last UserSessionsEnded. Sessions decided on an older revision have ended. */
      sessions_ended_revision: { type: 'bigint', isNullable: true },
      kept_session_id: { type: 'uuid', isNullable: true },
      /** Revision of the last UserApiKeysRevoked. Keys decided on an older revision are revoked. */
      api_keys_revoked_revision: { type: 'bigint', isNullable: true },
      api_keys_revoked_at: { type: 'timestamptz', isNullable: true },
      restricted_by_admin: { type: 'boolean', default: false },
      restricted_by_admin_reason: { type: 'text', isNullable: true, isPersonal: true },
      restricted_by_admin_private_details: { type: 'text', isNullable: true, isPersonal: true },
      country_code: { type: 'text', isNullable: true, isPersonal: true },
      risk_scores: { type: 'jsonb', isNullable: true, isPersonal: true },
      /** Only valid while the user is a member of the team. */
      selected_team_id: { type: 'uuid', isNullable: true },
      signed_up_at: { type: 'timestamptz' },
      /** Set while the user awaits deletion; `project_id` is hidden then. */
      deleted_at: { type: 'timestamptz', isNullable: true },
      delete_at: { type: 'timestamptz', isNullable: true },
      is_deleted_by_user: { type: 'boolean', default: false },
      /** `value`, `isVerified` and `usedForAuth` by channel, so that one row answers lists and searches. */
      channels: { type: 'jsonb', isPersonal: true, default: {}, hasEntries: true },
      /** Text, because it names an entry of `channels`. */
      primary_channel_id: { type: 'text', isNullable: true },
      is_email_verified: {
        type: 'boolean',
        generatedAs: `coalesce((channels -> primary_channel_id ->> 'isVerified')::boolean, false)`,
      },
      search_text: { type: 'text', isPersonal: true, generatedAs: searchText },
      sort_name: { type: 'text', isPersonal: true, generatedAs: sortName },
      sort_email: { type: 'text', isPersonal: true, generatedAs: sortEmail },
    },
    key: ['id'],
    fillfactor: 90,
    indexes: [
      { name: 'users_by_sign_up', on: '(project_id, signed_up_at, id)' },
      { name: 'users_by_kind', on: '(project_id, is_anonymous, signed_up_at, id)' },
      {
        name: 'users_verified',
        on: '(project_id, signed_up_at, id)',
        where: 'is_email_verified and not is_anonymous',
      },
      { name: 'users_by_name', on: '(project_id, sort_name collate "C", id)' },
      { name: 'users_by_email', on: '(project_id, sort_email collate "C", id)' },
      { name: 'users_by_deletion', on: '(project_id, delete_at, id)', where: 'delete_at is not null' },
      { name: 'users_to_erase', on: '(delete_at, id)', where: 'delete_at is not null' },
      { name: 'users_by_text', on: 'using gin (search_text gin_trgm_ops)' },
    ],
  },
  {
    name: 'contact_channels',
    columns: {
      id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      type: { type: 'text' },
      value: { type: 'text', isNullable: true, isPersonal: true },
      is_primary: { type: 'boolean' },
      is_verified: { type: 'boolean' },
      used_for_auth: { type: 'boolean' },
      created_at: { type: 'timestamptz' },
    },
    key: ['id'],
    indexes: [
      { name: 'contact_channels_by_user', on: '(user_id, created_at)', servesWrites: true },
      { name: 'contact_channels_by_project', on: '(project_id, created_at, id)' },
    ],
  },
  {
    name: 'oauth_accounts',
    columns: {
      id: { type: 'uuid' },
      user_id: { type: 'uuid' },
      project_id: { type: 'text' },
      account_ref: { type: 'text' },
      provider: { type: 'text' },
      account_id: { type: 'text', isNullable: true, isPersonal: true },
      email: { type: 'text', isNullable: true, isPersonal: true },
      allow_sign_in: { type: 'boolean' },
      allow_connected_accounts: { type: 'boolean' },
      linked_at: { type: 'timestamptz' },
    },
    key: ['user_id', 'id'],
    indexes: [{ name: 'oauth_accounts_by_project', on: '(project_id, linked_at, id)' }],
  },
];
