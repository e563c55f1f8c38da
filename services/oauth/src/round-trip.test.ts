import { systemClock } from '@gatebook/runtime/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOAuthProviders } from './client.ts';
import { type SimulatorProvider, startSimulatorProvider } from './simulator/provider.ts';
import { signInAtSimulator } from './testing/sign-in-at-simulator.ts';

const secret = 'a secret: with + - / and %';
const app = 'http://localhost:8102';
const authorization = (id: string) => ({
  redirectUri: `${app}/api/v1/auth/oauth/callback/${id}`,
  state: 's'.repeat(43),
  verifier: 'v'.repeat(43),
});
const google = { id: 'google', type: 'shared' } as const;
const ann = { email: 'Ann@Example.com', name: 'Ann <b>Example</b>' };

let simulator: SimulatorProvider;
beforeAll(async () => {
  simulator = await startSimulatorProvider({ secret, redirectOrigins: [app] });
});
afterAll(() => simulator.close());

const providers = (settings: { secret?: string } = {}) =>
  createOAuthProviders({
    sharedKeys: {},
    sharedIssuer: { url: simulator.url, secret: settings.secret ?? secret },
    now: systemClock,
  });

/** Signs in at the simulator; the answer is what the browser brings back. */
async function signIn(
  id: 'google' | 'github',
  person: Parameters<typeof signInAtSimulator>[1],
  browser = new Map<string, string>(),
) {
  const url = await providers().authorizationUrl({ id, type: 'shared' }, authorization(id), []);
  const back = await signInAtSimulator(url, person, browser);
  expect(back.href.startsWith(`${authorization(id).redirectUri}?`)).toBe(true);
  return back.searchParams;
}

describe('with the simulator', () => {
  test('a user signs in and the tokens are refreshed', async () => {
    const url = await providers().authorizationUrl(google, authorization('google'), []);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'google',
      response_type: 'code',
      redirect_uri: authorization('google').redirectUri,
      scope: 'openid email profile',
      state: authorization('google').state,
      access_type: 'offline',
      code_challenge: '7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM',
      code_challenge_method: 'S256',
    });
    const answer = await signIn('google', ann);
    expect(answer.get('iss')).toBe(simulator.url);
    const { profile, tokens } = await providers().identify(google, authorization('google'), answer);
    expect(profile).toEqual({
      accountId: 'ann@example.com',
      displayName: 'Ann <b>Example</b>',
      profileImageUrl: null,
      email: 'Ann@Example.com',
      isEmailVerified: true,
    });
    const leftMs = Date.parse(tokens.expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    const renewed = await providers().refresh(google, tokens.refreshToken ?? '', null);
    expect(renewed.accessToken).not.toBe(tokens.accessToken);
    const used = renewed.refreshToken ?? tokens.refreshToken ?? '';
    await expect(providers().refresh(google, `${used}x`, 'openid')).rejects.toMatchObject({
      code: 'PROVIDER_REJECTED',
    });
  });

  test('the user chooses an account at every sign-in in the same browser', async () => {
    const browser = new Map<string, string>();
    for (const email of ['ann@example.com', 'bob@example.com', 'bob@example.com', 'ann@example.com']) {
      const answer = await signIn('google', { email, name: '' }, browser);
      const { profile } = await providers().identify(google, authorization('google'), answer);
      expect(profile).toMatchObject({ accountId: email, email, displayName: null });
    }
  });

  test('a user can deny access', async () => {
    const answer = await signIn('google', 'deny');
    await expect(providers().identify(google, authorization('google'), answer)).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_ACCESS_DENIED',
    });
  });

  test('a code works once', async () => {
    const answer = await signIn('google', ann);
    await providers().identify(google, authorization('google'), answer);
    await expect(providers().identify(google, authorization('google'), answer)).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_CODE_REJECTED',
    });
  });

  test('a code is rejected without the verifier, for another provider or with a wrong secret', async () => {
    const tries = [
      {
        by: providers(),
        keys: google,
        as: { ...authorization('google'), verifier: 'w'.repeat(43) },
        code: 'CODE_REJECTED',
      },
      { by: providers(), keys: { ...google, id: 'github' }, as: authorization('github'), code: 'CODE_REJECTED' },
      { by: providers({ secret: 'wrong' }), keys: google, as: authorization('google'), code: 'KEYS_REJECTED' },
    ] as const;
    for (const { by, keys, as, code } of tries) {
      const answer = await signIn('google', ann);
      await expect(by.identify(keys, as, answer)).rejects.toMatchObject({ code: `OAUTH_PROVIDER_${code}` });
    }
  });

  test.each([
    ['another state', { state: 't'.repeat(43) }],
    ['no state', { state: null }],
    ['another issuer, as in a mix-up', { iss: 'https://evil.example' }],
    ['no issuer, although the provider says it names itself', { iss: null }],
    ['no code', { code: null }],
  ])('a response with %s is rejected before the code is sent', async (_, changes) => {
    const answer = new URLSearchParams(await signIn('google', ann));
    for (const [name, value] of Object.entries(changes)) {
      answer.delete(name);
      if (value !== null) answer.set(name, value);
    }
    await expect(providers().identify(google, authorization('google'), answer)).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_RESPONSE_INVALID',
    });
  });

  test('shared keys exist only for shared providers', async () => {
    const known = (['google', 'github', 'microsoft', 'spotify', 'discord', 'x'] as const).map((id) =>
      providers().hasSharedKeys(id),
    );
    expect(known).toEqual([true, true, true, true, false, false]);
    await expect(
      providers().authorizationUrl({ id: 'discord', type: 'shared' }, authorization('discord'), []),
    ).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED' });
  });
});
