/** 32 random bytes as 43 base64url characters, for a state or a code verifier (RFC 7636). */
export function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** S256 of RFC 7636 §4.2. @throws Error on pages without Web Crypto: neither https nor localhost */
export async function challengeOf(verifier: string): Promise<string> {
  if (!globalThis.crypto.subtle) throw new Error('OAuth sign-in needs HTTPS or localhost.');
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
