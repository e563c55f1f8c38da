import type { AuditExportFormat } from '@gatebook/js/admin';

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** All complete records of a chunk, the last one as text. `count`: without the head of a CSV file. */
export type Records = { bytes: Uint8Array<ArrayBuffer>; count: number; last: string };

/** Splits an export into complete records, because a transfer can be cut off anywhere. */
export function createRecordReader(format: AuditExportFormat, skipsHead: boolean) {
  const decoder = new TextDecoder();
  const isCsv = format === 'csv';
  let rest = new Uint8Array();
  let isQuoted = false;
  let isBeforeHead = isCsv;
  /** @returns null if the chunk completes no record */
  return (chunk: Uint8Array): Records | null => {
    const bytes = join(rest, chunk);
    const ends: number[] = [];
    for (let at = rest.length; at < bytes.length; at += 1) {
      // In a quoted cell, a line break is text (RFC 4180 §2.6).
      if (isCsv && bytes[at] === QUOTE) isQuoted = !isQuoted;
      if (bytes[at] === NEWLINE && !isQuoted) ends.push(at + 1);
    }
    const end = ends.at(-1) ?? 0;
    rest = bytes.slice(end);
    if (end === 0) return null;
    const heads = isBeforeHead ? 1 : 0;
    isBeforeHead = false;
    const start = heads === 1 && skipsHead ? (ends.shift() ?? 0) : 0;
    if (start === end) return null;
    const last = decoder.decode(bytes.subarray(ends.at(-2) ?? start, end));
    return { bytes: bytes.subarray(start, end), count: ends.length - (start === 0 ? heads : 0), last };
  };
}

function join(rest: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(rest.length + chunk.length);
  joined.set(rest);
  joined.set(chunk, rest.length);
  return joined;
}

/** What a record is: an event, the head of a CSV file, or the end of a complete export. */
export type RecordKind = { kind: 'event'; id: string } | { kind: 'head' | 'end' };

export function readRecord(format: AuditExportFormat, record: string): RecordKind {
  if (format === 'csv') {
    if (record.startsWith('id,')) return { kind: 'head' };
    // The cells before the type are empty.
    return record.startsWith(',,,end,') ? { kind: 'end' } : { kind: 'event', id: record.slice(0, record.indexOf(',')) };
  }
  const { end, id, metadata } = JSON.parse(record) as { end?: boolean; id?: string; metadata?: { uid: string } };
  return end === true ? { kind: 'end' } : { kind: 'event', id: metadata?.uid ?? id ?? '' };
}
