import { z } from 'zod';
import {
  asBoolean,
  email,
  filledTextUpTo,
  flag,
  imageUrl,
  JsonValue,
  metadata,
  millis,
  name,
  numberOf,
  pagedListOf,
  password,
  textOf,
  textUpTo,
  totpSecret,
  uuid,
  viewsByAccess,
} from './common.ts';
import { ClientTeamView, ServerTeamView } from './teams.ts';

const OAuthAccount = z.object({ id: z.string(), account_id: z.string(), email: z.string().nullable() });

const clientFields = {
  id: z.uuid(),
  display_name: z.string().nullable(),
  primary_email: z.string().nullable(),
  primary_email_verified: z.boolean(),
  profile_image_url: z.string().nullable(),
  signed_up_at_millis: z.number().int(),
  has_password: z.boolean(),
  otp_auth_enabled: z.boolean(),
  passkey_auth_enabled: z.boolean(),
  auth_with_email: z.boolean(),
  requires_totp_mfa: z.boolean(),
  is_anonymous: z.boolean(),
  client_metadata: JsonValue,
  client_read_only_metadata: JsonValue,
  oauth_providers: z.array(OAuthAccount),
  selected_team_id: z.uuid().nullable(),
};

export const RestrictedReason = z
  .object({ type: z.enum(['restricted_by_administrator', 'anonymous', 'email_not_verified']) })
  .meta({ id: 'RestrictedReason' });

/**
 * Fields for client libraries newer than the protocol's reference version, which fail without them; sent only to those
 * (protocol, resources §1.9).
 */
const newerClientFields = {
  is_restricted: z.boolean().optional(),
  restricted_reason: RestrictedReason.nullable().optional(),
  restricted_by_admin: z.boolean().optional(),
  restricted_by_admin_reason: z.string().nullable().optional(),
};

/** The signed-in user as client access sees them (protocol, resources §1.1). */
export const ClientUserView = z
  .object({ ...clientFields, ...newerClientFields, selected_team: ClientTeamView.nullable() })
  .meta({ id: 'CurrentUser' });
export type ClientUserView = z.infer<typeof ClientUserView>;

export const RiskScoresView = z.object({ sign_up: z.object({ bot: z.number(), free_trial_abuse: z.number() }) });

/** Like `newerClientFields`, for servers. */
const newerServerFields = {
  ...newerClientFields,
  restricted_by_admin_private_details: z.string().nullable().optional(),
  country_code: z.string().nullable().optional(),
  risk_scores: RiskScoresView.optional(),
};

export const ServerUserView = z
  .object({
    ...clientFields,
    selected_team: ServerTeamView.nullable(),
    primary_email_auth_enabled: z.boolean(),
    last_active_at_millis: z.number().int(),
    server_metadata: JsonValue,
    ...newerServerFields,
  })
  .meta({ id: 'User', description: 'What server and admin access see.' });
export type ServerUserView = z.infer<typeof ServerUserView>;
export const OwnUserView = viewsByAccess({ server: ServerUserView, client: ClientUserView });

export const UserListView = z
  .object({
    items: z.array(ServerUserView),
    is_paginated: z.literal(true),
    pagination: z.object({ next_cursor: z.string().nullable() }),
  })
  .meta({
    id: 'UserList',
    description:
      '`next_cursor` stands for the first user of the next page. In large teams, and for text that thousands of users have, a page can have fewer users than `limit` and still have one.',
  });
export type UserListView = z.infer<typeof UserListView>;

/** A user ID, or a time and a user ID as in `next_cursor`. */
const userCursor = textOf(
  z
    .string()
    .max(52)
    .toLowerCase()
    .regex(/^(\d{1,14}\.)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the cursor of a page'),
);

/** Accepted on every method of users; ignored where it has no meaning. */
export const UsersQuery = z.strictObject({
  team_id: uuid.optional(),
  limit: numberOf(z.number().int().min(1)).optional(),
  cursor: userCursor.optional(),
  order_by: textOf(z.enum(['signed_up_at', 'last_active_at'])).optional(),
  desc: flag.optional(),
  query: textUpTo(512).optional(),
  include_anonymous: flag.optional(),
  only_anonymous: flag.optional(),
  include_restricted: flag.optional(),
});
export type UsersQuery = z.infer<typeof UsersQuery>;

const ownFields = {
  display_name: name.nullable().optional(),
  profile_image_url: imageUrl.nullable().optional(),
  client_metadata: metadata.optional(),
  otp_auth_enabled: flag.optional(),
  passkey_auth_enabled: flag.optional(),
  /** base64 of the raw secret; null turns the second factor off. */
  totp_secret_base64: totpSecret.nullable().optional(),
};
/** ISO 3166-1 alpha-2, in any case. */
const countryCode = textOf(
  z
    .string()
    .max(10)
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'must be a country code of two letters'),
);
const riskScore = numberOf(z.number().int().min(0).max(100));

const serverFields = {
  client_read_only_metadata: metadata.optional(),
  server_metadata: metadata.optional(),
  primary_email: email.nullable().optional(),
  primary_email_verified: flag.optional(),
  primary_email_auth_enabled: flag.optional(),
  password: password.nullable().optional(),
  password_hash: filledTextUpTo(1_024).optional(),
  /** A restricted user can't sign in. Lifting the restriction removes both texts. */
  restricted_by_admin: flag.optional(),
  restricted_by_admin_reason: textUpTo(1_000).nullable().optional(),
  restricted_by_admin_private_details: textUpTo(10_000).nullable().optional(),
  country_code: countryCode.nullable().optional(),
  /** Stored as given. */
  risk_scores: z.strictObject({ sign_up: z.strictObject({ bot: riskScore, free_trial_abuse: riskScore }) }).optional(),
};

/** Rejects the texts of a restriction without the restriction (protocol, resources §1.9). */
function checkRestriction(
  body: z.infer<z.ZodObject<Pick<typeof serverFields, `restricted_by_admin${string}` & keyof typeof serverFields>>>,
  { addIssue }: z.RefinementCtx,
): void {
  if (body.restricted_by_admin === true) return;
  for (const field of ['restricted_by_admin_reason', 'restricted_by_admin_private_details'] as const) {
    if (typeof body[field] !== 'string') continue;
    addIssue({ code: 'custom', path: [field], message: 'requires restricted_by_admin to be true' });
  }
}

export const OwnUserPatch = z
  .strictObject({ ...ownFields, selected_team_id: uuid.nullable().optional() })
  .meta({ id: 'OwnUserPatch', description: 'What a person may change of themselves.' });
export type OwnUserPatch = z.infer<typeof OwnUserPatch>;

export const UserPatch = z
  .strictObject({
    ...ownFields,
    ...serverFields,
    selected_team_id: uuid.nullable().optional(),
    is_anonymous: z.preprocess(asBoolean, z.literal(false)).optional(),
  })
  .superRefine(checkRestriction)
  .meta({ id: 'UserPatch', description: 'What server and admin access may change of a user.' });
export type UserPatch = z.infer<typeof UserPatch>;

export const NewUser = z
  .strictObject({
    ...ownFields,
    ...serverFields,
    is_anonymous: flag.optional(),
    /** For imported users; without these fields the user gets a new ID and signs up now. */
    id: uuid.optional(),
    signed_up_at_millis: millis.optional(),
    /** Provider accounts with which the user can sign in from now on. */
    oauth_providers: z
      .array(
        z.strictObject({
          id: filledTextUpTo(64).transform((id) => id.toLowerCase()),
          account_id: filledTextUpTo(255),
          email: email.nullable().optional(),
        }),
      )
      .max(50)
      .optional(),
  })
  .superRefine(checkRestriction)
  .meta({ id: 'NewUser' });
export type NewUser = z.infer<typeof NewUser>;

const profileFields = {
  team_id: z.uuid(),
  user_id: z.uuid(),
  display_name: z.string().nullable(),
  profile_image_url: z.string().nullable(),
};
export const ClientProfileView = z.object(profileFields).meta({ id: 'ClientTeamMemberProfile' });
export const ServerProfileView = z.object({ ...profileFields, user: ServerUserView }).meta({ id: 'TeamMemberProfile' });
export const ProfileView = viewsByAccess({ server: ServerProfileView, client: ClientProfileView });
export const ProfileList = pagedListOf(ProfileView).meta({ id: 'TeamMemberProfileList' });
export type ProfileList = z.infer<typeof ProfileList>;
