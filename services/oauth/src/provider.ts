import { z } from 'zod';

/** Settings of a project's own keys besides client ID and secret. */
export type KeySettings = { facebookConfigId?: string | undefined; microsoftTenantId?: string | undefined };

/** A GET request with the access token as bearer token. */
export type ProfileRequest = {
  /** `base` is the profile URL of the provider, `earlier` the responses to the previous requests. */
  url: (base: string, earlier: readonly unknown[]) => string;
  headers?: Readonly<Record<string, string>>;
  /** Whether the token is sent as `access_token` in the query. */
  isTokenInQuery?: boolean;
  /** Returns null on any 4xx response instead of failing the sign-in. */
  isOptional?: boolean;
};

/** A profile as returned by a provider, not normalized yet; missing texts are null or undefined. */
export type RawProfile = {
  accountId: string | number;
  displayName?: string | null | undefined;
  profileImageUrl?: string | null | undefined;
  email?: string | null | undefined;
  isEmailVerified?: boolean;
};

export type ProfileSource = {
  /** `base` of the requests; null if the ID token is the profile. */
  url: string | null;
  /** Whether the claims of the ID token are the first response, before the requests. */
  startsWithIdToken?: boolean;
  /** Whether the claims contain the whole profile, so that nothing is requested. */
  isComplete?: (claims: unknown) => boolean;
  requests: readonly ProfileRequest[];
  /**
   * Pure. `responses` are those of the requests, in order; without requests, the claims of the ID token. Returns null
   * if they are not as documented.
   */
  read: (responses: readonly unknown[]) => RawProfile | null;
};

/** Everything that distinguishes one provider from another (protocol, auth §8.7). */
export type ProviderEntry = {
  id: string;
  /**
   * The issuer in `iss` of ID tokens and, if sent, of authorization responses (RFC 9207). `{tenantid}` is the tenant
   * that the ID token names. null: the provider has no issuer.
   */
  issuer: string | null;
  /** `{tenant}` in an endpoint is replaced by the result of `tenant`. */
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /**
   * JWK set URL of the ID token, which is then required and verified. null: no ID token is expected, and any is
   * ignored.
   */
  idTokenKeys: string | null;
  /** Whether the account ID is the `sub` of the ID token, so that both must match (OpenID Connect Core §5.3.2). */
  isSubjectAccountId?: boolean;
  baseScopes: readonly string[];
  usesPkce: boolean;
  /** Whether a nonce ties the ID token to the authorization request (OpenID Connect Core §3.1.2.1). */
  usesNonce?: boolean;
  /** How the client authenticates: with HTTP Basic or with fields in the body. */
  clientAuthentication: 'basic' | 'body';
  /** Additional parameters of the authorization request. */
  parameters?: (settings: KeySettings) => Readonly<Record<string, string>>;
  tenant?: (settings: KeySettings) => string;
  /** Lifetime of an access token when the response has none; default: one hour. */
  defaultTokenSeconds?: number;
  /** Rejects a sign-in without email. */
  requiresEmail?: boolean;
  /**
   * Maps a nonstandard error response of the token endpoint to an OAuth error code (RFC 6749 §5.2); undefined: use the
   * response as it is.
   */
  tokenError?: (body: unknown) => string | undefined;
  profile: ProfileSource;
};

/** Parses the list of responses with a schema. */
export function parseProfile<Schema extends z.ZodType>(
  schema: Schema,
  toProfile: (responses: z.output<Schema>) => RawProfile,
): ProfileSource['read'] {
  return (responses) => {
    const parsed = schema.safeParse(responses);
    return parsed.success ? toProfile(parsed.data) : null;
  };
}

/** The only profile request of most providers. */
export const profileRequest: ProfileRequest = { url: (base) => base };

/**
 * Parts of the schemas. Only an invalid account ID makes a profile unusable; any other undocumented value counts as
 * missing. A number too large to be exact could refer to two accounts.
 */
export const accountId = z.union([z.string(), z.int()]);
export const optionalText = z.string().nullish().catch(null);
/** Some providers send the flag as a string, where "false" must not count as true. */
export const trueFlag = z
  .union([z.literal(true), z.literal('true')])
  .transform(() => true)
  .catch(false);
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item.nullable().catch(null)).transform((items) => items.filter((entry) => entry !== null));

const TextError = z.object({ error: z.literal('invalid_request'), error_description: z.string() });

/** For providers that report a wrong code as `invalid_request` and name the wrong part only in the description. */
export function detectCodeError(body: unknown): string | undefined {
  const parsed = TextError.safeParse(body);
  return parsed.success && /authorization code/i.test(parsed.data.error_description) ? 'invalid_grant' : undefined;
}
