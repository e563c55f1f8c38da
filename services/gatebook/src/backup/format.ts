import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { writeTo } from './files.ts';

/**
 * A backup is a text line that names the format, a line with the header, the header's digest, frames, and a trailer. A
 * frame is a line of JSON followed by gzipped lines, one per row. Each digest covers the file up to and including its
 * frame, so that no part can be changed, left out, moved or cut off without notice.
 */
const magic = 'gatebook backup 1';
const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Larger than any chunk; protects from reading a damaged length. */
const maxBytes = 512 * 1024 * 1024;
const maxLine = 1024 * 1024;

export type Header = {
  /** Random, of this backup. */
  id: string;
  /** The same for all backups of an installation. */
  installation: string;
  createdAt: string;
  version: string;
  log: 'postgres' | 'eventstoredb';
  epoch: string | null;
  /** Position of the newest event; null if the log is not in the backup. */
  head: string | null;
  /** The wrapped installation key: shows whether a master key belongs to the backup. */
  installationKey: string;
};
export type Chunk = { table: string; columns: readonly string[]; rows: readonly string[] };
/** Rows and digest of each table. */
export type Totals = Record<string, { rows: number; columns: readonly string[]; digest: string }>;
type Frame = { table: string; columns: readonly string[]; rows: number; bytes: number; digest: string };
type Trailer = { totals: Totals; digest: string };

/** A file that is not a complete and unchanged backup. */
export class DamagedBackupError extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`The backup ${what}.`, options);
    this.name = 'DamagedBackupError';
  }
}

const digestOf = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
};

const digestMask = 2n ** 128n - 1n;

/** Adds up the digests of rows, whatever their order: databases with other collations sort texts differently. */
export function createTotals() {
  const tables = new Map<string, { rows: number; columns: readonly string[]; sum: bigint }>();
  return {
    add: ({ table, columns, rows }: Chunk) => {
      const total = tables.get(table) ?? { rows: 0, columns, sum: 0n };
      total.rows += rows.length;
      for (const row of rows) total.sum = (total.sum + numberOf(row)) & digestMask;
      tables.set(table, total);
    },
    take: (): Totals =>
      Object.fromEntries(
        [...tables].map(([table, { rows, columns, sum }]) => [table, { rows, columns, digest: sum.toString(16) }]),
      ),
  };
}

const numberOf = (row: string) => BigInt(`0x${createHash('sha256').update(row).digest('hex').slice(0, 32)}`);

/** Writes a backup. Nothing may be written to `output` elsewhere. */
export async function startFile(output: Writable, header: Header) {
  const totals = createTotals();
  let bytes = 0;

  async function write(...parts: readonly (string | Buffer)[]): Promise<void> {
    for (const part of parts) {
      bytes += Buffer.byteLength(part);
      await writeTo(output, part);
    }
  }

  const start = JSON.stringify(header);
  let digest = digestOf(magic, start);
  await write(`${magic}\n${start}\n${digest}\n`);
  return {
    add: async (chunk: Chunk): Promise<void> => {
      totals.add(chunk);
      const packed = await compress(chunk.rows.join('\n'));
      const facts = { table: chunk.table, columns: chunk.columns, rows: chunk.rows.length, bytes: packed.length };
      digest = digestOf(digest, JSON.stringify(facts), packed);
      await write(`${JSON.stringify({ ...facts, digest } satisfies Frame)}\n`, packed, '\n');
    },
    /** @returns the size of the file in bytes */
    end: async (): Promise<number> => {
      const facts = totals.take();
      digest = digestOf(digest, JSON.stringify(facts));
      await write(`${JSON.stringify({ totals: facts, digest } satisfies Trailer)}\n`);
      return bytes;
    },
  };
}

export type OpenFile = {
  header: Header;
  /** Digest of the lines before the first chunk. */
  digest: string;
  /** Every chunk with the digest of the file up to its end. Checked before it is returned. */
  chunks(): AsyncGenerator<Chunk & { digest: string }, Totals>;
};

/** Reads a backup. @throws DamagedBackupError */
export async function openFile(input: AsyncIterable<Buffer>): Promise<OpenFile> {
  const reader = createReader(input);
  const first = await reader.line('is empty').catch(() => '');
  if (first !== magic) {
    const isNewer = first.startsWith(magic.slice(0, -1));
    throw new DamagedBackupError(
      isNewer ? 'was made by a newer version: update Gatebook' : 'is not a file made by gatebook backup',
    );
  }
  const headerLine = await reader.line('ends in its header');
  let digest = digestOf(magic, headerLine);
  if ((await reader.line('ends in its header')) !== digest) throw changed();
  const header = parse<Header>(headerLine);
  return {
    header,
    digest,
    chunks: async function* () {
      const totals = createTotals();
      for (;;) {
        const frame = parse<Frame | Trailer>(await reader.line('is cut off: its end is missing'));
        if ('totals' in frame) {
          const expected = digestOf(digest, JSON.stringify(frame.totals));
          if (expected !== frame.digest || JSON.stringify(totals.take()) !== JSON.stringify(frame.totals))
            throw changed();
          return frame.totals;
        }
        const { digest: given, ...facts } = frame;
        if (!(facts.bytes >= 0 && facts.bytes <= maxBytes)) throw changed();
        const packed = await reader.bytes(facts.bytes);
        digest = digestOf(digest, JSON.stringify(facts), packed);
        if (digest !== given) throw changed();
        await reader.line('is cut off');
        const rows = (await decompress(packed, { maxOutputLength: maxBytes })).toString().split('\n');
        if (rows.length !== facts.rows) throw changed();
        const chunk = { table: facts.table, columns: facts.columns, rows };
        totals.add(chunk);
        yield { ...chunk, digest };
      }
    },
  };
}

const changed = (cause?: unknown) => new DamagedBackupError('was changed or damaged: a checksum is wrong', { cause });

function parse<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw changed(cause);
  }
}

/** Reads lines and bytes from a stream and keeps one chunk in memory. */
function createReader(input: AsyncIterable<Buffer>) {
  const source = input[Symbol.asyncIterator]();
  let parts: Buffer[] = [];
  let length = 0;

  async function more(): Promise<boolean> {
    const next = await source.next();
    if (next.done) return false;
    parts.push(next.value);
    length += next.value.length;
    return true;
  }
  function take(count: number): Buffer {
    const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [all.subarray(count)];
    length = all.length - count;
    return all.subarray(0, count);
  }

  return {
    bytes: async (count: number): Promise<Buffer> => {
      while (length < count) if (!(await more())) throw new DamagedBackupError('is cut off: its end is missing');
      return take(count);
    },
    line: async (ending: string): Promise<string> => {
      for (let searched = 0; ; ) {
        const all = Buffer.concat(parts);
        parts = [all];
        const at = all.indexOf(10, searched);
        if (at >= 0)
          return take(at + 1)
            .subarray(0, -1)
            .toString();
        searched = all.length;
        if (searched > maxLine) throw changed();
        if (!(await more())) throw new DamagedBackupError(ending);
      }
    },
  };
}
