import { createGuardrails, verifySync } from 'otplib';

const periodSeconds = 30;
/** The contract rejects secrets under 128 bits; one that is stored already keeps working. */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 1024 });

/**
 * The time step (RFC 6238: Unix time / 30 s) that a code matches: the current one or, to tolerate clock drift, one on
 * either side. HMAC-SHA-1, six digits. Null without a match. The caller must not accept a step twice.
 */
export function verifyTotp(secretBase64: string, code: string, at: string): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const secret = Buffer.from(secretBase64, 'base64');
  if (secret.length === 0) return null;
  const epoch = Math.floor(Date.parse(at) / 1000);
  const result = verifySync({
    secret,
    token: code,
    epoch,
    period: periodSeconds,
    epochTolerance: periodSeconds,
    guardrails,
  });
  return result.valid ? Math.floor(epoch / periodSeconds) + result.delta : null;
}
