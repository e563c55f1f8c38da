export const now = '2026-11-21T12:00:00.000Z';
export const nowSeconds = Date.parse(now) / 1000;
export const authorization = {
  redirectUri: 'https://auth.example.com/api/v1/auth/oauth/callback/any',
  state: 's'.repeat(43),
  verifier: 'v'.repeat(43),
};
/** What a browser brings back from the provider. */
export const answered = (more: Record<string, string> = {}) =>
  new URLSearchParams({ code: 'the-code', state: authorization.state, ...more });
