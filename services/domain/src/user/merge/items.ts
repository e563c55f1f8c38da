export const mergeItemKinds = [
  'display_name',
  'profile_image',
  'client_metadata',
  'client_read_only_metadata',
  'server_metadata',
  'country_code',
  'risk_scores',
  'email',
  'primary_email',
  'password',
  'email_code',
  'second_factor',
  'passkey',
  'connected_account',
  'api_key',
  'project_permission',
  'team',
  'team_profile',
  'team_permission',
  'selected_team',
  'unsubscribed_category',
  'restriction',
  'sessions',
] as const;
export type MergeItemKind = (typeof mergeItemKinds)[number];

/**
 * - `kept_one_stays`: the user already has one, and only one is allowed.
 * - `already_there`: the user has the same.
 * - `not_usable`: revoked or expired.
 * - `ends`: ends with the deletion of the duplicate.
 */
export const mergeDropReasons = ['kept_one_stays', 'already_there', 'not_usable', 'ends'] as const;
export type MergeDropReason = (typeof mergeDropReasons)[number];

/**
 * Something of the duplicate. `name` says which where there can be several: an address, a key of metadata, a provider,
 * the ID of a team or API key, the key of a permission.
 */
export type MergeItem = { kind: MergeItemKind; name: string | null; teamId: string | null };

export type MergeSummary = {
  moved: readonly MergeItem[];
  dropped: readonly (MergeItem & { reason: MergeDropReason })[];
};
