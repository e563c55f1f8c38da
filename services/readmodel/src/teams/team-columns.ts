export type TeamRow = {
  id: string;
  displayName: string;
  profileImageUrl: string | null;
  clientMetadata: unknown;
  clientReadOnlyMetadata: unknown;
  serverMetadata: unknown;
  /** Milliseconds since 1970. */
  createdAt: number;
};

const createdAt = (alias: string) => `(extract(epoch from ${alias}.created_at) * 1000)::float8`;

/** Columns of a TeamRow, for `from <schema>.teams t`. */
export const teamColumns = `t.id, t.display_name as "displayName", t.profile_image_url as "profileImageUrl",
  t.client_metadata as "clientMetadata", t.client_read_only_metadata as "clientReadOnlyMetadata",
  t.server_metadata as "serverMetadata", ${createdAt('t')} as "createdAt"`;

/** A TeamRow as one JSON value, for `from <schema>.teams st`. */
export const selectedTeamAsJson = `json_build_object(
    'id', st.id, 'displayName', st.display_name, 'profileImageUrl', st.profile_image_url,
    'clientMetadata', st.client_metadata, 'clientReadOnlyMetadata', st.client_read_only_metadata,
    'serverMetadata', st.server_metadata, 'createdAt', ${createdAt('st')})`;

/**
 * What teams are sorted by when they are sorted by name: the same in every locale, without regard to case, and letters
 * with marks after those without.
 */
export const nameKeyOf = (column: string) => `left(normalize(lower(${column}), NFD), 40) collate "C"`;
