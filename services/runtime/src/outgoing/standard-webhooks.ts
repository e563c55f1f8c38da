import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createLruCache } from '../lru-cache.ts';

/** `at`: of this attempt (ISO 8601). `secrets`: `whsec_` and base64; a receiver needs one of them. */
type Signed = { id: string; at: string; body: string; secrets: readonly string[] };

/** As KeyObjects, because creating an HMAC from bytes takes longer. */
const keys = createLruCache<KeyObject>(1_000);

function keyOf(secret: string): KeyObject {
  const key = keys.get(secret) ?? createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  keys.set(secret, key, 1);
  return key;
}

/** Headers of Standard Webhooks 1.0: HMAC-SHA-256 of ID, time in seconds and body. */
export function signWebhook({ id, at, body, secrets }: Signed) {
  const time = String(Math.floor(Date.parse(at) / 1_000));
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${time}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures.join(' ') };
}
