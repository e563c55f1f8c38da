/** The text once per byte, with one bit of that byte flipped. */
export function* withOneBitChanged(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8));
    yield changed.toString('base64url');
  }
}

/**
 * Bytes of an ECDSA signature that hold DER tags and lengths: the library reads those leniently, to the same numbers.
 */
export function framingOf(signature: string): ReadonlySet<number> {
  const bytes = Buffer.from(signature, 'base64url');
  const start = bytes[1] === 0x81 ? 3 : 2;
  const second = start + 2 + (bytes[start + 1] ?? 0);
  const isDer = bytes[0] === 0x30 && bytes[start] === 2 && bytes[second] === 2;
  return new Set(isDer ? [...Array(start).keys(), start, start + 1, second, second + 1] : []);
}

const clientData = (text: string): Record<string, unknown> => JSON.parse(Buffer.from(text, 'base64url').toString());
export const withClientData = (text: string, changes: object) =>
  Buffer.from(JSON.stringify({ ...clientData(text), ...changes })).toString('base64url');
