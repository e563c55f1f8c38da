import { z } from 'zod';
import { accountId, optionalText, type ProviderEntry, parseProfile, profileRequest } from '../provider.ts';

const User = z.object({
  id: accountId,
  displayName: optionalText,
  mail: optionalText,
  userPrincipalName: optionalText,
});
/**
 * The principal name of an external guest contains an email address but is not one
 * (`ann_example.com#EXT#@contoso.onmicrosoft.com`).
 */
const guestMark = '#EXT#';

/** https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow */
export const microsoft: ProviderEntry = {
  id: 'microsoft',
  issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
  authorizationEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
  tokenEndpoint: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
  idTokenKeys: 'https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys',
  baseScopes: ['User.Read', 'openid'],
  usesPkce: true,
  clientAuthentication: 'basic',
  tenant: ({ microsoftTenantId }) => microsoftTenantId || 'consumers',
  profile: {
    url: 'https://graph.microsoft.com/v1.0/me',
    requests: [profileRequest],
    // The admin of a tenant can set any email address, so none counts as verified.
    read: parseProfile(z.tuple([User]), ([user]) => ({
      accountId: user.id,
      displayName: user.displayName,
      email: user.mail || (user.userPrincipalName?.includes(guestMark) ? null : user.userPrincipalName),
    })),
  },
};
