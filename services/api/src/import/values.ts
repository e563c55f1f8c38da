import { isRecord } from '@gatebook/contract/import/row';

export type Values = Readonly<Record<string, unknown>>;

/** Text that is not empty. Numbers count as text, because IDs can be numbers. */
export function text(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  return value.trim() === '' ? null : value.trim();
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(true|t|1|yes)$/i.test(value.trim()));
}

/** Milliseconds since 1970, from that number, ISO 8601 or a timestamp of Postgres. */
export function millis(value: unknown): number | undefined {
  if (isRecord(value)) return millis(value.$date);
  const given = text(value);
  if (given === null) return undefined;
  if (/^\d{11,15}$/.test(given)) return Number(given);
  if (/^\d{9,10}$/.test(given)) return Number(given) * 1_000;
  const iso = given
    .replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
    .replace(/([+-]\d\d)$/, '$1:00')
    .replace(/ UTC$/, 'Z');
  const parsed = Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** An object, also as the JSON text in a cell of CSV. */
export function record(value: unknown): Record<string, unknown> | null {
  if (typeof value === 'string') {
    try {
      return record(JSON.parse(value));
    } catch {
      return null;
    }
  }
  return isRecord(value) && Object.keys(value).length > 0 ? { ...value } : null;
}

/** The objects of a list, also as the JSON text in a cell of CSV. */
export function records(value: unknown): readonly Values[] {
  if (typeof value === 'string' && value.trim().startsWith('[')) {
    try {
      return records(JSON.parse(value));
    } catch {
      return [];
    }
  }
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export const nameOf = (...parts: readonly unknown[]): string | null =>
  parts.flatMap((part) => text(part) ?? []).join(' ') || null;

/** base32 (RFC 4648) without padding, as authenticator apps show it, in base64. */
export function base32ToBase64(secret: string): string | null {
  const digits = secret.toUpperCase().replace(/[\s=-]/g, '');
  if (!/^[A-Z2-7]+$/.test(digits)) return null;
  const bits = [...digits].map((digit) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString('base64');
}
