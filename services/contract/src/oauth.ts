import { z } from 'zod';
import { botChallenge, email, filledTextUpTo, flag, listOf, secret, textOf, textUpTo, url, userId } from './common.ts';

const responseMode = textOf(z.enum(['redirect', 'json'])).optional();

/** RFC 7636 §4.2: SHA-256 in base64url. `plain` allows any valid verifier. */
const challenges = { S256: /^[\w-]{43}$/, plain: /^[\x21-\x7e]{1,128}$/ } as const;

const scopes = textUpTo(4_096);

const request = {
  redirect_uri: url,
  /** RFC 6749 App. A.5: the value is sent back in a URL. */
  state: textOf(
    z
      .string()
      .max(4_096)
      .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII, not empty'),
  ),
  type: textOf(z.enum(['authenticate', 'link'])).default('authenticate'),
  provider_scope: scopes.optional(),
  error_redirect_uri: url.optional(),
  after_callback_redirect_url: textUpTo(4_096).optional(),
};

/** Query of the authorization endpoint (protocol, auth §8.2). */
export const AuthorizeQuery = z
  .strictObject({
    ...request,
    client_id: textUpTo(256),
    client_secret: secret,
    scope: scopes,
    grant_type: textOf(z.literal('authorization_code')),
    code_challenge: textUpTo(128),
    code_challenge_method: textOf(z.enum(['S256', 'plain'])),
    response_type: textOf(z.literal('code')),
    token: textUpTo(8_192).default(''),
    error_redirect_url: url.optional().meta({ description: 'older name of `error_redirect_uri`' }),
    stack_response_mode: responseMode,
    hexclave_response_mode: responseMode,
    ...botChallenge,
  })
  .superRefine(({ code_challenge, code_challenge_method }, context) => {
    if (challenges[code_challenge_method].test(code_challenge)) return;
    context.addIssue({
      code: 'custom',
      path: ['code_challenge'],
      message: `is not a valid ${code_challenge_method} challenge`,
    });
  });
export type AuthorizeQuery = z.infer<typeof AuthorizeQuery>;

const s256 = textOf(z.literal('S256'));
const s256Challenge = textOf(z.string().max(43).regex(challenges.S256, 'must be a SHA-256 hash in base64url'));

/** The same as POST: the headers identify the caller, and no secret is in a URL. */
export const AuthorizeBody = z
  .strictObject({
    ...request,
    code_challenge: s256Challenge,
    code_challenge_method: s256,
  })
  .meta({
    id: 'AuthorizeRequest',
    description: '`type` "link" adds the account at the provider to the signed-in user.',
  });
export type AuthorizeBody = z.infer<typeof AuthorizeBody>;

const { redirect_uri, state, after_callback_redirect_url } = request;
/** (protocol, auth §8.10) */
export const CrossDomainAuthorize = z
  .strictObject({
    redirect_uri,
    state,
    code_challenge: s256Challenge,
    code_challenge_method: s256,
    after_callback_redirect_url,
  })
  .meta({ id: 'CrossDomainAuthorizeRequest', description: 'Both URLs must be on trusted domains of the project.' });
export const CrossDomainRedirect = z.object({ redirect_url: z.string() }).meta({ id: 'CrossDomainRedirect' });

export const RequestPath = z.strictObject({ request: textUpTo(64) });

export const ProviderPath = z.strictObject({ provider: textUpTo(64) });

export const AuthorizeLocation = z
  .object({ location: z.string() })
  .meta({ id: 'AuthorizeLocation', description: 'Where to send the browser.' });

/** Response of a redirect. */
export const EmptyBody = z.object({});

/** What a provider sends: any query, and a form whose fields take precedence. */
export const CallbackForm = z.looseObject({}).nullish();

export const ConnectedTokenBody = z.strictObject({ scope: scopes.optional() }).meta({
  id: 'ConnectedTokenRequest',
  description: '`scope`: scopes that the token has to have, separated by spaces.',
});
/** Account IDs of providers are at most 255 characters (protocol, auth §8.3). */
const accountId = filledTextUpTo(255);

export const ConnectedAccountList = listOf(
  z
    .object({ user_id: z.uuid(), provider: z.string(), provider_account_id: z.string() })
    .meta({ id: 'ConnectedAccount' }),
).meta({ id: 'ConnectedAccountList' });

const oauthAccount = {
  user_id: z.uuid(),
  id: z.uuid(),
  email: z.string().optional(),
  provider_config_id: z.string(),
  type: z.string(),
  allow_sign_in: z.boolean(),
  allow_connected_accounts: z.boolean(),
};
/** (protocol, resources §9.2). `account_id` is for servers. */
export const OAuthAccountView = z
  .object({ ...oauthAccount, account_id: z.string().optional() })
  .meta({ id: 'OAuthAccount', description: 'An account of a user at a provider. Only servers read `account_id`.' });
export type OAuthAccountView = z.infer<typeof OAuthAccountView>;
export const OAuthAccountList = listOf(OAuthAccountView).meta({ id: 'OAuthAccountList' });
export const OAuthAccountsQuery = z.strictObject({ user_id: userId.optional() });

export const NewOAuthAccount = z
  .strictObject({
    user_id: userId,
    provider_config_id: textUpTo(64),
    account_id: accountId,
    email: email.optional(),
    allow_sign_in: flag,
    allow_connected_accounts: flag,
  })
  .meta({ id: 'NewOAuthAccount' });

const oauthAccountFlags = { allow_sign_in: flag.optional(), allow_connected_accounts: flag.optional() };
export const OwnOAuthAccountPatch = z.strictObject(oauthAccountFlags).meta({ id: 'OwnOAuthAccountPatch' });
export const OAuthAccountPatch = z
  .strictObject({ ...oauthAccountFlags, account_id: accountId.optional(), email: email.optional() })
  .meta({ id: 'OAuthAccountPatch' });

export const ConnectedToken = z.object({ access_token: z.string() }).meta({ id: 'ConnectedToken' });
