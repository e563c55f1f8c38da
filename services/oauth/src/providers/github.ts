import { z } from 'zod';
import {
  accountId,
  listOf,
  optionalText,
  type ProviderEntry,
  parseProfile,
  profileRequest,
  trueFlag,
} from '../provider.ts';

const headers = { 'x-github-api-version': '2022-11-28' };
const User = z.object({ id: accountId, name: optionalText, avatar_url: optionalText });
const Emails = listOf(z.object({ email: z.string(), primary: trueFlag, verified: trueFlag }));
/** Nonstandard errors of the token endpoint, which come with status 200. */
const errors: Readonly<Record<string, string>> = {
  bad_verification_code: 'invalid_grant',
  bad_refresh_token: 'invalid_grant',
  incorrect_client_credentials: 'invalid_client',
  unverified_user_email: 'access_denied',
};
const TokenError = z.object({ error: z.string() });

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const github: ProviderEntry = {
  id: 'github',
  issuer: 'https://github.com/login/oauth',
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  idTokenKeys: null,
  baseScopes: ['user:email'],
  usesPkce: true,
  clientAuthentication: 'basic',
  // Tokens do not expire unless a GitHub App is configured so; then the response contains the expiry.
  defaultTokenSeconds: 365 * 24 * 60 * 60,
  tokenError: (body) => {
    const parsed = TokenError.safeParse(body);
    return parsed.success ? errors[parsed.data.error] : undefined;
  },
  profile: {
    url: 'https://api.github.com/user',
    requests: [
      { ...profileRequest, headers },
      // Not optional: a rate limit looks like a missing permission (403), and without an email the user would be
      // treated as new.
      { url: (base) => `${base}/emails`, headers },
    ],
    read: parseProfile(z.tuple([User, Emails]), ([user, emails]) => {
      const primary = emails.find((each) => each.primary);
      return {
        accountId: user.id,
        displayName: user.name,
        profileImageUrl: user.avatar_url,
        email: primary?.email,
        isEmailVerified: primary?.verified ?? false,
      };
    }),
  },
};
