import { z } from 'zod';
import { accountId, type ProfileRequest, type ProviderEntry, readAs, told } from '../provider.ts';

const User = z.object({ id: accountId, name: told, email: told });
const Picture = z
  .object({ picture: z.object({ data: z.object({ url: told }) }) })
  .nullable()
  .catch(null);
/** Its errors are objects with numbers: a wrong secret, a wrong id; a wrong code (or its redirect URI), a token that is over. */
const errors: Readonly<Record<number, string>> = {
  1: 'invalid_client',
  101: 'invalid_client',
  100: 'invalid_grant',
  190: 'invalid_grant',
};
const TokenError = z.object({ error: z.object({ code: z.number() }) });

const user: ProfileRequest = { url: (base) => `${base}?fields=id,name,email`, isTokenInQuery: true };
const picture: ProfileRequest = {
  url: (base, [first]) => {
    const parsed = User.safeParse(first);
    // Its ids are numbers; nothing else goes into an address.
    const id = parsed.success && /^\d+$/.test(String(parsed.data.id)) ? String(parsed.data.id) : 'me';
    return new URL(`${id}?fields=picture.type(small)`, base).href;
  },
  isTokenInQuery: true,
  isOptional: true,
};

/** https://developers.facebook.com/docs/facebook-login/guides/advanced/oidc-token: an ID token comes only with PKCE. */
export const facebook: ProviderEntry = {
  id: 'facebook',
  issuer: 'https://www.facebook.com',
  authorizationEndpoint: 'https://facebook.com/v20.0/dialog/oauth/',
  tokenEndpoint: 'https://graph.facebook.com/v20.0/oauth/access_token',
  idTokenKeys: 'https://www.facebook.com/.well-known/oauth/openid/jwks',
  baseScopes: ['openid', 'public_profile', 'email'],
  usesPkce: true,
  clientAuthentication: 'basic',
  parameters: ({ facebookConfigId }): Record<string, string> =>
    facebookConfigId ? { config_id: facebookConfigId } : {},
  needsEmail: true,
  tokenError: (body) => {
    const parsed = TokenError.safeParse(body);
    return parsed.success ? (errors[parsed.data.error.code] ?? 'invalid_request') : undefined;
  },
  profile: {
    url: 'https://graph.facebook.com/v3.2/me',
    requests: [user, picture],
    read: readAs(z.tuple([User, Picture]), ([told, shown]) => ({
      accountId: told.id,
      displayName: told.name,
      profileImageUrl: shown?.picture.data.url,
      email: told.email,
    })),
  },
};
