import { readdir, readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { StoredRecord } from '@gatebook/eventlog/codec';

/**
 * A log as a release wrote it. `plain` has the data of each event by position, as that release read it. The master key
 * is the test's own.
 */
export type RecordedLog = {
  release: string;
  masterKey: Buffer;
  /** Subject keys, wrapped by the master key; null: erased. */
  keys: ReadonlyMap<string, string | null>;
  records: readonly StoredRecord[];
  plain: ReadonlyMap<bigint, Readonly<Record<string, unknown>>>;
};

type Header = { release: string; masterKey: string };
type Line =
  | { key: [subjectId: string, wrapped: string | null] }
  | { event: StoredLine; plain: Record<string, unknown> };
/** The log of release 0.1.0 has no commit times. */
type StoredLine = Omit<StoredRecord, 'revision' | 'position' | 'committedAt'> & {
  revision: string;
  position: string;
  committedAt?: string;
};

const folder = new URL('./logs/', import.meta.url);
const ending = '.jsonl.gz';

/** The releases with a recorded log. */
export async function listReleases(): Promise<string[]> {
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
}

export async function readRecordedLog(release: string): Promise<RecordedLog> {
  const text = gunzipSync(await readFile(new URL(`${release}${ending}`, folder))).toString();
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)) as [Header, ...Line[]];
  const keys = new Map(lines.flatMap((line) => ('key' in line ? [line.key] : [])));
  const events = lines.flatMap((line) => ('event' in line ? [line] : []));
  const records = events.map(
    ({ event }): StoredRecord => ({
      ...event,
      committedAt: event.committedAt ?? String(event.data.at),
      revision: BigInt(event.revision),
      position: BigInt(event.position),
    }),
  );
  const plain = new Map(events.map(({ event, plain }) => [BigInt(event.position), plain]));
  return { release: header.release, masterKey: Buffer.from(header.masterKey, 'base64'), keys, records, plain };
}

/** @throws Error if the release has a recorded log, which must never change */
export async function writeRecordedLog({ release, masterKey, keys, records, plain }: RecordedLog): Promise<void> {
  const header: Header = { release, masterKey: masterKey.toString('base64') };
  const lines: Line[] = [
    ...[...keys].map((key) => ({ key })),
    ...records.map(({ revision, position, ...event }) => ({
      event: { ...event, revision: String(revision), position: String(position) },
      plain: plain.get(position) ?? {},
    })),
  ];
  const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(new URL(`${release}${ending}`, folder), gzipSync(text, { level: 9 }), { flag: 'wx' });
}

/** Whether an event of this type and version is in the recorded log of a release. */
export async function findReleasedVersions(): Promise<(type: string, version: string) => boolean> {
  const logs = await Promise.all((await listReleases()).map(readRecordedLog));
  const released = new Set(logs.flatMap(({ records }) => records.map(({ type, version }) => `${type} ${version}`)));
  return (type, version) => released.has(`${type} ${version}`);
}
