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

const Links = z
  .object({ avatar: z.object({ href: optionalText }) })
  .nullish()
  .catch(null);
const User = z.object({ account_id: accountId, display_name: optionalText, links: Links });
const Emails = z.object({ values: listOf(z.object({ email: z.string(), is_confirmed: trueFlag })) });

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/ and …/oauth-2/ */
export const bitbucket: ProviderEntry = {
  id: 'bitbucket',
  issuer: null,
  authorizationEndpoint: 'https://bitbucket.org/site/oauth2/authorize',
  tokenEndpoint: 'https://bitbucket.org/site/oauth2/access_token',
  idTokenKeys: null,
  baseScopes: ['account', 'email'],
  usesPkce: true,
  clientAuthentication: 'basic',
  profile: {
    url: 'https://api.bitbucket.org/2.0/user',
    requests: [profileRequest, { url: (base) => `${base}/emails` }],
    read: parseProfile(z.tuple([User, Emails]), ([user, emails]) => ({
      accountId: user.account_id,
      displayName: user.display_name,
      profileImageUrl: user.links?.avatar.href,
      email: emails.values[0]?.email,
      isEmailVerified: emails.values[0]?.is_confirmed ?? false,
    })),
  },
};
