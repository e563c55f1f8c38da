import { timingSafeEqual } from 'node:crypto';
import type { WriteDeps } from '../deps.ts';

type Challenge = { codeChallenge: string; codeChallengeMethod: 'S256' | 'plain' };

/** Whether the verifier proves that the app that redeems a code asked for it (RFC 7636 §4.6). */
export function matchesChallenge(
  { sha256 }: Pick<WriteDeps, 'sha256'>,
  verifier: string | null,
  { codeChallenge, codeChallengeMethod }: Challenge,
): boolean {
  if (verifier === null) return false;
  const computed = Buffer.from(codeChallengeMethod === 'S256' ? sha256(verifier) : verifier);
  const challenge = Buffer.from(codeChallenge);
  return computed.length === challenge.length && timingSafeEqual(computed, challenge);
}
