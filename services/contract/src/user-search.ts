import { z } from 'zod';
import { flagText, millis, textOf, textUpTo, uuid } from './common.ts';
import { UsersQuery } from './users.ts';

const listOfTexts = (form: RegExp, message: string) =>
  textOf(z.string().max(1_000).regex(form, message)).transform((list) => list.split(','));

/** What a search and a count of users accept. */
const userFilters = {
  query: textUpTo(512).optional().meta({ description: 'An ID, or part of a name or an email address.' }),
  team_id: uuid.optional(),
  method: listOfTexts(/^[\w.-]{1,64}(,[\w.-]{1,64})*$/, 'must be a comma-separated list of sign-in methods')
    .optional()
    .meta({
      description:
        '`password`, `otp`, `passkey` or IDs of providers, separated by commas. Matches users who have one of them.',
    }),
  verified: flagText.optional().meta({ description: 'Whether the primary email address is verified.' }),
  restricted: flagText.optional().meta({ description: 'Whether an administrator has restricted the user.' }),
  anonymous: flagText.optional(),
  country_code: listOfTexts(/^[A-Z]{2}(,[A-Z]{2})*$/, 'must be country codes of two letters, separated by commas')
    .optional()
    .meta({ description: 'Country codes as in ISO 3166-1 alpha-2, separated by commas.' }),
  signed_up_from_millis: millis.optional(),
  signed_up_until_millis: millis.optional().meta({ description: 'Exclusive.' }),
  active_from_millis: millis
    .optional()
    .meta({ description: 'Of the latest activity, or of the sign-up if there was none.' }),
  active_until_millis: millis.optional().meta({ description: 'Exclusive.' }),
};

export const UserCountQuery = z.strictObject(userFilters);
export type UserCountQuery = z.infer<typeof UserCountQuery>;

const { limit, cursor, order_by, desc } = UsersQuery.shape;
export const UserSearchQuery = z.strictObject({ ...userFilters, limit, cursor, order_by, desc });

/** A filter that limits an export; `user_ids`: the users were chosen one by one. */
const UserExportFilter = z.enum([...(Object.keys(userFilters) as (keyof typeof userFilters)[]), 'user_ids']);
export const UserExportBody = z.strictObject({
  format: z.enum(['csv', 'jsonl']),
  filters: z.array(UserExportFilter).max(20).meta({
    description: 'Names of the filters that limit the export; `user_ids` if the users were chosen one by one.',
  }),
});
export type UserExportBody = z.infer<typeof UserExportBody>;

export const UserCountView = z
  .object({
    count: z.number().int(),
    is_complete: z.boolean().meta({
      description: 'false: only the 15,000 users who signed up last were looked at, so there may be more.',
    }),
  })
  .meta({ id: 'UserCount' });
export type UserCountView = z.infer<typeof UserCountView>;
