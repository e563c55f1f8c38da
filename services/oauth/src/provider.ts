import type { ProviderId } from '@gatebook/commands/oauth/oauth-providers';
import { z } from 'zod';

/** What a project may tell about its own keys beside id and secret. */
export type KeySettings = { facebookConfigId?: string | undefined; microsoftTenantId?: string | undefined };

/** A GET with the access token as bearer. */
export type ProfileRequest = {
  /** `base` is the provider's profile URL, `earlier` what the requests before this one answered. */
  url: (base: string, earlier: readonly unknown[]) => string;
  headers?: Readonly<Record<string, string>>;
  /** The rare provider wants the token as `access_token` in the query. */
  isTokenInQuery?: boolean;
  /** Answers null where the provider rejects (any 4xx), instead of failing the sign-in. */
  isOptional?: boolean;
};

/** A profile as a provider tells it: nothing is trimmed or measured yet, an absent text is null or undefined. */
export type ToldProfile = {
  accountId: string | number;
  displayName?: string | null | undefined;
  profileImageUrl?: string | null | undefined;
  email?: string | null | undefined;
  isEmailVerified?: boolean;
};

export type ProfileSource = {
  /** `base` of the requests; null where the ID token is the profile. */
  url: string | null;
  requests: readonly ProfileRequest[];
  /** Pure. `answers` are those of the requests, in order; without requests, the claims of the ID token. Null: not as documented. */
  read: (answers: readonly unknown[]) => ToldProfile | null;
};

/** All that distinguishes one provider from another (protocol, auth §8.7). */
export type ProviderEntry = {
  id: ProviderId;
  /**
   * As the provider names itself in `iss`: of its ID tokens, and of its answers where it sends one (RFC 9207). `{tenantid}`
   * stands for the tenant that the ID token names. Null: it names itself nowhere.
   */
  issuer: string | null;
  /** `{tenant}` in an endpoint is replaced by what `tenant` gives. */
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Keys of the ID token, which then has to come and is verified. Null: none is expected, and one that comes is ignored. */
  idTokenKeys: string | null;
  /** Whether the account id is the `sub` of the ID token, so that both have to agree (OpenID Connect Core §5.3.2). */
  isSubjectAccountId?: boolean;
  baseScopes: readonly string[];
  usesPkce: boolean;
  /** How we prove that we are the client: by HTTP Basic, or by fields in the body. */
  clientAuthentication: 'basic' | 'body';
  /** Further parameters of the authorization request. */
  parameters?: (settings: KeySettings) => Readonly<Record<string, string>>;
  tenant?: (settings: KeySettings) => string;
  /** Life of an access token whose answer tells none; one hour when left out. */
  defaultTokenSeconds?: number;
  /** A sign-in without e-mail is rejected. */
  needsEmail?: boolean;
  /** The OAuth word (RFC 6749 §5.2) for an error of the token endpoint that is told otherwise; undefined: as told. */
  tokenError?: (body: unknown) => string | undefined;
  profile: ProfileSource;
};

/** Reads a list of answers by a schema of that list. */
export function readAs<Schema extends z.ZodType>(
  schema: Schema,
  toProfile: (answers: z.output<Schema>) => ToldProfile,
): ProfileSource['read'] {
  return (answers) => {
    const parsed = schema.safeParse(answers);
    return parsed.success ? toProfile(parsed.data) : null;
  };
}

/** The one request of most providers. */
export const profileRequest: ProfileRequest = { url: (base) => base };

/*
 * Parts of the schemas. Only an account id that is none makes a profile unusable; any other part that is not as documented
 * counts as not told. A number too large to be exact could stand for two accounts.
 */
export const accountId = z.union([z.string(), z.int()]);
export const told = z.string().nullish().catch(null);
/** Some send the flag as text, in which "false" is not true. */
export const toldTrue = z
  .union([z.literal(true), z.literal('true')])
  .transform(() => true)
  .catch(false);
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item.nullable().catch(null)).transform((items) => items.filter((each) => each !== null));

const TextError = z.object({ error: z.literal('invalid_request'), error_description: z.string() });

/** For providers that call a wrong code an `invalid_request` and say which part is wrong only in the text. */
export function codeErrorByText(body: unknown): string | undefined {
  const parsed = TextError.safeParse(body);
  return parsed.success && /authorization code/i.test(parsed.data.error_description) ? 'invalid_grant' : undefined;
}
