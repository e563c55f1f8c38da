import type { ReadRevisions } from '@gatebook/commands/preview/read-revisions';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';

/** Beyond, the streams are one hash, and it is not known which of them has changed. */
const maxStreams = 200;
const hashLength = 22;
const streamHashLength = 8;

type Hash = Pick<Deps, 'lookupHash'>;

/**
 * Names the request: its method, path and body. Every password has the same effects, so that a write can be previewed
 * without the password that it sets.
 */
export function fingerprintOf({ lookupHash }: Hash, { caller, method, url, body }: FastifyRequest): string {
  const text = JSON.stringify([method, url, isEmpty(body) ? null : body], (name, value: unknown) =>
    name === 'password' && typeof value === 'string' ? '' : value,
  );
  return lookupHash('previewed request', caller?.projectId ?? '', text).slice(0, hashLength);
}

const isEmpty = (body: unknown): boolean =>
  body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);

type Previewed = { projectId: string; fingerprint: string; basis: ReadRevisions };

/**
 * Changes with the request and with the revision of every stream that it stands on. `isOpaque`: says neither how many
 * streams there are nor how often they have changed.
 */
export function etagOf(
  deps: Hash,
  { projectId, fingerprint, basis }: Previewed,
  { isOpaque = basis.size > maxStreams }: { isOpaque?: boolean } = {},
): string {
  const entries = [...basis].map(([stream, revision]) => entryOf(deps, projectId, stream, revision)).sort();
  return [fingerprint, ...(isOpaque ? [joined(deps, projectId, entries)] : entries)].join('.');
}

/** @returns the streams that differ, as far as they are known; null if the ETag is that of the request */
export function findChanged(deps: Hash, etag: string, previewed: Previewed): readonly string[] | null {
  if (etagOf(deps, previewed) === etag || etagOf(deps, previewed, { isOpaque: true }) === etag) return null;
  const [fingerprint, ...entries] = etag.split('.');
  const isComparable = fingerprint === previewed.fingerprint && !entries.some((entry) => entry.startsWith('~'));
  if (!isComparable) return [];
  return [...previewed.basis].flatMap(([stream, revision]) =>
    entries.includes(entryOf(deps, previewed.projectId, stream, revision)) ? [] : [stream],
  );
}

/** @returns the revision that each stream had for an ETag, as far as it says so */
export function revisionsIn({ lookupHash }: Hash, etag: string, { projectId, basis }: Omit<Previewed, 'fingerprint'>) {
  const [, ...entries] = etag.split('.');
  const known = new Map(entries.map((entry) => [entry.slice(0, streamHashLength), entry.slice(streamHashLength)]));
  const revisions: ReadRevisions = new Map();
  for (const stream of basis.keys()) {
    const revision = Number.parseInt(known.get(hashOfStream({ lookupHash }, projectId, stream)) ?? '', 36);
    if (Number.isSafeInteger(revision)) revisions.set(stream, BigInt(revision));
  }
  return revisions;
}

const hashOfStream = ({ lookupHash }: Hash, projectId: string, stream: string): string =>
  lookupHash('previewed stream', projectId, stream).slice(0, streamHashLength);

const entryOf = (deps: Hash, projectId: string, stream: string, revision: bigint): string =>
  `${hashOfStream(deps, projectId, stream)}${revision.toString(36)}`;

const joined = ({ lookupHash }: Hash, projectId: string, entries: readonly string[]): string =>
  `~${lookupHash('previewed stream', projectId, entries.join('.')).slice(0, hashLength)}`;
