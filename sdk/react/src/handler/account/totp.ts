/** 20 bytes, as RFC 4226 §4 recommends. */
export function newSecret(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(20));
}

/** The TOTP code at a time (RFC 6238: HMAC-SHA-1, steps of 30 s). @throws Error on pages without Web Crypto */
export async function digitsOf(secret: Uint8Array, atMs: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(atMs / 30_000)));
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-1' }, false, [
    'sign',
  ]);
  const digest = new DataView(await crypto.subtle.sign('HMAC', key, counter));
  const number = digest.getUint32(digest.getUint8(19) & 15) & 0x7f_ff_ff_ff;
  return String(number % 1_000_000).padStart(6, '0');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, without padding; users type the secret in this form. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** The content of the QR code. */
export function otpauthUri(secret: Uint8Array, issuer: string, account: string): string {
  const query = new URLSearchParams({ secret: toBase32(secret), issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  // Some apps do not decode `+` as a space.
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${query.toString().replaceAll('+', '%20')}`;
}
