import { DomainError } from '@gatebook/domain/errors';
import type { OAuthProviders, ProviderKeys } from './oauth-providers.ts';

/** `unclear`: the answer of the provider does not say. */
export type KeyTest = 'accepted' | 'keys_rejected' | 'unreachable' | 'unclear';

/** 43 characters, as of a real authorization (protocol, auth §8.1). Nobody can have got a code for it. */
const unused = 'gatebook-connection-test-'.padEnd(43, '0');

/**
 * Exchanges a code that the provider never issued. A provider checks the client before the code (RFC 6749 §5.2), so it
 * rejects the code only when client ID and secret are right. No sign-in happens.
 */
export async function testKeys(
  { identify }: Pick<OAuthProviders, 'identify'>,
  keys: ProviderKeys,
  redirectUri: string,
): Promise<KeyTest> {
  const response = new URLSearchParams({ code: unused, state: unused });
  if (keys.type === 'openid') response.set('iss', keys.issuer);
  try {
    await identify(keys, { redirectUri, state: unused, verifier: unused }, response);
    return 'unclear';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'OAUTH_PROVIDER_CODE_REJECTED') return 'accepted';
    if (error.code === 'OAUTH_PROVIDER_KEYS_REJECTED') return 'keys_rejected';
    return error.code === 'OAUTH_PROVIDER_UNREACHABLE' ? 'unreachable' : 'unclear';
  }
}
