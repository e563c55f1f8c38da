import { z } from 'zod';
import { accountId, optionalText, type ProfileRequest, type ProviderEntry, parseProfile } from '../provider.ts';

const User = z.object({ id: accountId, name: optionalText, email: optionalText });
const Picture = z
  .object({ picture: z.object({ data: z.object({ url: optionalText }) }) })
  .nullable()
  .catch(null);
/**
 * Facebook reports errors as objects with numbers: a wrong secret, a wrong ID; a wrong code (or its redirect URI), an
 * expired token.
 */
const errors: Readonly<Record<number, string>> = {
  1: 'invalid_client',
  101: 'invalid_client',
  100: 'invalid_grant',
  190: 'invalid_grant',
};
const TokenError = z.object({ error: z.object({ code: z.number() }) });

const userRequest: ProfileRequest = { url: (base) => `${base}?fields=id,name,email`, isTokenInQuery: true };
const pictureRequest: ProfileRequest = {
  url: (base, [first]) => {
    const parsed = User.safeParse(first);
    // Facebook IDs are numeric; put nothing else into a URL.
    const id = parsed.success && /^\d+$/.test(String(parsed.data.id)) ? String(parsed.data.id) : 'me';
    return new URL(`${id}?fields=picture.type(small)`, base).href;
  },
  isTokenInQuery: true,
  isOptional: true,
};

/**
 * https://developers.facebook.com/docs/facebook-login/guides/advanced/oidc-token: ID tokens are issued only with PKCE.
 */
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
  requiresEmail: true,
  tokenError: (body) => {
    const parsed = TokenError.safeParse(body);
    return parsed.success ? (errors[parsed.data.error.code] ?? 'invalid_request') : undefined;
  },
  profile: {
    url: 'https://graph.facebook.com/v3.2/me',
    requests: [userRequest, pictureRequest],
    read: parseProfile(z.tuple([User, Picture]), ([user, picture]) => ({
      accountId: user.id,
      displayName: user.name,
      profileImageUrl: picture?.picture.data.url,
      email: user.email,
    })),
  },
};
