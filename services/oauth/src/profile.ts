import type { ProviderProfile } from '@gatebook/commands/oauth/oauth-providers';
import { reject } from '@gatebook/domain/errors';
import { ask } from './ask.ts';
import type { ProfileRequest, ProviderEntry } from './provider.ts';
import { tidyProfile } from './tidy-profile.ts';

/**
 * Who the person is to the provider, by its API or, where it has none, its ID token.
 * @throws DomainError OAUTH_PROVIDER_ANSWER_INVALID, OAUTH_PROVIDER_GAVE_NO_EMAIL, OAUTH_PROVIDER_UNREACHABLE
 */
export async function readProfile(
  entry: ProviderEntry,
  accessToken: string,
  claims: Claims | undefined,
  signal: AbortSignal,
): Promise<ProviderProfile> {
  const { url, requests } = entry.profile;
  const answers: unknown[] = url === null ? [claims] : [];
  for (const request of requests) {
    answers.push(await askFor(request, request.url(url ?? '', answers), accessToken, signal));
  }
  return judgeProfile(entry, answers, claims);
}

type Claims = Readonly<Record<string, unknown>>;

/** @throws DomainError OAUTH_PROVIDER_ANSWER_INVALID, OAUTH_PROVIDER_GAVE_NO_EMAIL */
export function judgeProfile(
  { profile: { read }, needsEmail, isSubjectAccountId }: ProviderEntry,
  answers: readonly unknown[],
  claims: Claims | undefined,
): ProviderProfile {
  const told = read(answers);
  const profile = told === null ? null : tidyProfile(told);
  if (profile === null) return reject('OAUTH_PROVIDER_ANSWER_INVALID');
  // An access token that is not the ID token's person's was put in its place.
  if (isSubjectAccountId && claims?.sub !== profile.accountId) return reject('OAUTH_PROVIDER_ANSWER_INVALID');
  if (needsEmail && profile.email === null) return reject('OAUTH_PROVIDER_GAVE_NO_EMAIL');
  return profile;
}

async function askFor(
  { headers, isTokenInQuery, isOptional }: ProfileRequest,
  url: string,
  accessToken: string,
  signal: AbortSignal,
): Promise<unknown> {
  const target = new URL(url);
  if (isTokenInQuery) target.searchParams.set('access_token', accessToken);
  const authorization: Record<string, string> = isTokenInQuery ? {} : { authorization: `Bearer ${accessToken}` };
  // GitHub answers nobody without a name.
  const own = { accept: 'application/json', 'user-agent': 'Gatebook', ...authorization };
  const { status, body } = await ask(target.href, { method: 'GET', headers: { ...own, ...headers } }, signal);
  if (status < 300) return body;
  return isOptional ? null : reject('OAUTH_PROVIDER_ANSWER_INVALID');
}
