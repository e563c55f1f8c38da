import { z } from 'zod';
import { flagText, millis, textOf, textUpTo, uuid } from './common.ts';
import { UsersQuery } from './users.ts';

const listOfTexts = (form: RegExp, message: string) =>
  textOf(z.string().max(1_000).regex(form, message)).transform((list) => list.split(','));

/** A longer period than days are known for. */
const mostDays = 40;
const dayMs = 24 * 60 * 60_000;

const Days = textOf(
  z
    .string()
    .max(21)
    .regex(/^\d{4}-\d\d-\d\d(_\d{4}-\d\d-\d\d)?$/, 'must be a date, or two with _ between'),
)
  .transform((text) => text.split('_').map((day) => Date.parse(day)))
  .refine(([from = Number.NaN, until = from]) => until >= from && until - from < mostDays * dayMs, {
    message: `must be at most ${mostDays} days`,
  })
  .transform(([from = 0, until = from]) =>
    Array.from({ length: (until - from) / dayMs + 1 }, (_, nth) =>
      new Date(from + nth * dayMs).toISOString().slice(0, 10),
    ),
  );

const Countries = listOfTexts(/^[A-Z]{2}(,[A-Z]{2})*$/, 'must be country codes of two letters, separated by commas');

const countedForm =
  /^(sign_ups|sign_ins|active_users|joined|verified|returned):(\d{1,14})-(\d{1,14})(?::(method|country|device|kind|cohort):(.{0,100}))?$/;

/** A number of the analytics. */
const Counted = textOf(z.string().max(200).regex(countedForm, 'must be a point such as sign_ups:0-86400000:method:otp'))
  .transform((text) => {
    const [, kind, from, until, dimension = 'all', value = ''] = countedForm.exec(text) ?? [];
    return { kind, from: Number(from), until: Number(until), dimension, value } as CountedPoint;
  })
  .refine(({ from, until }) => until > from, { message: 'must end after it begins' })
  .refine(({ kind, from, until }) => kind !== 'active_users' || until - from <= mostDays * dayMs, {
    message: `must be at most ${mostDays} days`,
  });
type CountedPoint = {
  kind: 'sign_ups' | 'sign_ins' | 'active_users' | 'joined' | 'verified' | 'returned';
  from: number;
  until: number;
  dimension: 'all' | 'method' | 'country' | 'device' | 'kind' | 'cohort';
  value: string;
};

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
  country_code: Countries.optional().meta({
    description: 'Country codes as in ISO 3166-1 alpha-2, separated by commas. Matches the `country_code` of users.',
  }),
  active_in: Countries.optional().meta({
    description:
      'Country codes as in ISO 3166-1 alpha-2, separated by commas. Matches users whose latest activity with a known country was in one of them; `ZZ`: no country is known. Not with `as_of`.',
  }),
  active_on: Days.optional().meta({
    description:
      'A UTC day such as `2026-11-20`, or the first and the last of several days, `2026-11-16_2026-11-22`. Matches users who were active on one of them. Known for 32 days, and not with `as_of`.',
  }),
  counted: Counted.optional().meta({
    description:
      'A number of the analytics: `sign_ups`, `sign_ins` or `active_users` of a time, also with a group, such as `sign_ins:1793491200000-1793577600000:device:Chrome on Windows` (empty value: unknown), or a step of the funnel, `joined`, `verified` or `returned`, with the time of joining. Matches the people it counts, at most 10,000, as far as they exist and their days are known. Not with `as_of`.',
  }),
  signed_up_from_millis: millis.optional(),
  signed_up_until_millis: millis.optional().meta({ description: 'Exclusive.' }),
  active_from_millis: millis
    .optional()
    .meta({ description: 'Of the latest activity, or of the sign-up if there was none.' }),
  active_until_millis: millis.optional().meta({ description: 'Exclusive.' }),
};

export const UserCountQuery = z.strictObject(userFilters);
export type UserCountQuery = z.infer<typeof UserCountQuery>;

export const userOrders = ['signed_up_at', 'last_active_at', 'display_name', 'primary_email'] as const;
export type UserOrder = (typeof userOrders)[number];

const { limit, desc } = UsersQuery.shape;
export const UserSearchQuery = z.strictObject({
  ...userFilters,
  limit,
  cursor: textUpTo(512).optional().meta({ description: '`next_cursor` of the page before.' }),
  order_by: textOf(z.enum(userOrders)).optional().meta({
    description:
      'By time of sign-up by default. Names and addresses are sorted without regard to case, by their first 40 characters. A user without a name has the place of the address; users without the text come last.',
  }),
  desc,
});

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
