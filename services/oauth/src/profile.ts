import type { ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import { normalizeProfile } from './normalize-profile.ts';
import type { ProfileRequest, ProviderEntry } from './provider.ts';
import { type Network, sendRequest } from './request.ts';

/**
 * Reads the profile of the user from the API of the provider or, if it has none, from the ID token.
 * @throws DomainError OAUTH_PROVIDER_RESPONSE_INVALID, OAUTH_PROVIDER_EMAIL_MISSING, OAUTH_PROVIDER_UNREACHABLE
 */
export async function readProfile(
  network: Network,
  entry: ProviderEntry,
  accessToken: string,
  claims: Claims | undefined,
  signal: AbortSignal,
): Promise<ProviderProfile> {
  const { url, startsWithIdToken, isComplete, requests } = entry.profile;
  const responses: unknown[] = url === null || startsWithIdToken ? [claims] : [];
  for (const request of isComplete?.(claims) ? [] : requests) {
    const target = request.url(url ?? '', responses);
    responses.push(await fetchProfilePart(network, request, target, accessToken, signal));
  }
  return checkProfile(entry, responses, claims);
}

type Claims = Readonly<Record<string, unknown>>;

/** @throws DomainError OAUTH_PROVIDER_RESPONSE_INVALID, OAUTH_PROVIDER_EMAIL_MISSING */
export function checkProfile(
  { profile: { read }, requiresEmail, isSubjectAccountId }: ProviderEntry,
  responses: readonly unknown[],
  claims: Claims | undefined,
): ProviderProfile {
  const rawProfile = read(responses);
  const profile = rawProfile === null ? null : normalizeProfile(rawProfile);
  if (profile === null) return reject('OAUTH_PROVIDER_RESPONSE_INVALID');
  // If the subjects differ, the access token was replaced by another user's.
  if (isSubjectAccountId && claims?.sub !== profile.accountId) return reject('OAUTH_PROVIDER_RESPONSE_INVALID');
  if (requiresEmail && profile.email === null) return reject('OAUTH_PROVIDER_EMAIL_MISSING');
  return profile;
}

async function fetchProfilePart(
  network: Network,
  { headers, isTokenInQuery, isOptional }: ProfileRequest,
  url: string,
  accessToken: string,
  signal: AbortSignal,
): Promise<unknown> {
  const target = new URL(url);
  if (isTokenInQuery) target.searchParams.set('access_token', accessToken);
  const authorization: Record<string, string> = isTokenInQuery ? {} : { authorization: `Bearer ${accessToken}` };
  // GitHub requires a user agent.
  const commonHeaders = { accept: 'application/json', 'user-agent': 'Gatebook', ...authorization };
  const { status, body } = await sendRequest(
    network,
    target.href,
    { method: 'GET', headers: { ...commonHeaders, ...headers } },
    signal,
  );
  if (status < 300) return body;
  return isOptional ? null : reject('OAUTH_PROVIDER_RESPONSE_INVALID');
}
