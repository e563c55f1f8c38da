import { expectBasis } from '@gatebook/commands/preview/expected-basis';
import { createPreviewStore, type PreviewedWrites } from '@gatebook/commands/preview/preview-store';
import type { ReadRevisions } from '@gatebook/commands/preview/read-revisions';
import { streamOf } from '@gatebook/commands/streams';
import { type DomainError, reject } from '@gatebook/domain/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { targetOfStream } from '../targets.ts';
import { etagOf, findChanged, fingerprintOf } from './preview-etags.ts';
import { addStep } from './steps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Present if the request only previews a write. */
    preview: Preview | null;
  }
  interface FastifyInstance {
    /** Previews in progress, by the secret ID that their requests carry. */
    runningPreviews: Map<string, Preview>;
  }
}

/** What one previewed request would do. */
export type Preview = {
  /** Clients can preview less (docs/decisions/0140). */
  isOfClient: boolean;
  /** False until the request reaches a route that can be previewed. */
  isSupported: boolean;
  /** The error that the request was rejected with. */
  failure: DomainError | null;
  /** IDs and secrets that the request generated. */
  generated: Set<string>;
  outcome: (PreviewedWrites & { etag: string }) | null;
};

/** Carries the ID of a running preview. Nobody outside can know one. */
const previewHeader = 'x-gatebook-preview';
/** Headers of the outer request that are about its connection, body or response. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'idempotency-key',
  'if-match',
  'transfer-encoding',
  'x-stack-override-error-status',
  'x-hexclave-override-error-status',
]);

/** Marks the requests of running previews, and rejects those whose route has no preview. */
export function handlePreviews(app: FastifyInstance): void {
  app.decorate('runningPreviews', new Map());
  app.decorateRequest('preview', null);
  addStep(app, 'onRequest', (request, _reply, { config }) => {
    const id = request.raw.headers[previewHeader];
    request.preview = typeof id === 'string' ? (request.server.runningPreviews.get(id) ?? null) : null;
    if (request.preview === null) return;
    const { isPreviewable = false } = config;
    const isAllowed = request.preview.isOfClient ? isPreviewable === 'by clients too' : isPreviewable !== false;
    if (!isAllowed) reject('PREVIEW_NOT_SUPPORTED');
    request.preview.isSupported = true;
  });
  app.addHook('onError', (request, _reply, error, done) => {
    if (request.preview && error.name === 'DomainError') request.preview.failure = error as DomainError;
    done();
  });
}

/**
 * Sends a request as its preview, from the same caller.
 * @throws DomainError PREVIEW_NOT_SUPPORTED
 */
export async function runPreview(
  { newId }: Pick<Deps, 'newId'>,
  { server, raw, caller }: FastifyRequest,
  { method, path, body }: { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown },
): Promise<{ preview: Preview; status: number; text: string }> {
  const isOfClient = caller?.accessType === 'client';
  const preview: Preview = { isOfClient, isSupported: false, failure: null, generated: new Set(), outcome: null };
  const id = newId();
  const headers = Object.fromEntries(Object.entries(raw.headers).filter(([name]) => !ownHeaders.has(name)));
  server.runningPreviews.set(id, preview);
  try {
    const { statusCode: status, body: text } = await server.inject({
      method,
      url: `/api/v1${path}`,
      remoteAddress: raw.socket.remoteAddress ?? '127.0.0.1',
      headers: { ...headers, [previewHeader]: id, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    if (!preview.isSupported) reject('PREVIEW_NOT_SUPPORTED');
    return { preview, status, text };
  } finally {
    server.runningPreviews.delete(id);
  }
}

/** The parts of a write that differ in a preview, or with a precondition. */
export type WriteMode = {
  deps: Deps;
  /** Call when the route has decided. */
  complete(): void;
};

/** @throws DomainError PREVIEW_NOT_SUPPORTED for a precondition where there is no preview */
export function writeModeOf(deps: Deps, request: FastifyRequest): WriteMode {
  const { preview, caller, routeOptions } = request;
  const etag = ifMatchOf(request);
  if (preview === null && (caller === null || etag === null)) return { deps, complete: () => undefined };
  if (caller === null) return reject('PREVIEW_NOT_SUPPORTED');
  const { projectId, project } = caller;
  const known: ReadRevisions = new Map([[streamOf.project(projectId), BigInt(project.revision)]]);
  if (preview !== null) return previewMode(deps, request, preview, { projectId, known });
  if (!routeOptions.config.isPreviewable) reject('PREVIEW_NOT_SUPPORTED');
  const isOpaque = caller.accessType === 'client';
  return expectingMode(deps, etag ?? '', { projectId, fingerprint: fingerprintOf(deps, request), known, isOpaque });
}

type Known = { projectId: string; known: ReadRevisions };

function previewMode(deps: Deps, request: FastifyRequest, preview: Preview, { projectId, known }: Known): WriteMode {
  const { generated } = preview;
  // The ID of an undo.
  generated.add(request.id);
  const noting = noteGenerated(deps, generated);
  const { store, result } = createPreviewStore(deps.store, {
    newId: noting.newId,
    now: deps.now,
    isGenerated: (stream) => containsAny(stream, generated),
    known,
  });
  return {
    deps: { ...withoutEffects(deps), ...noting, store },
    complete: () => {
      const { writes, basis } = result();
      const fingerprint = fingerprintOf(deps, request);
      const etag = etagOf(deps, { projectId, fingerprint, basis }, { isOpaque: preview.isOfClient });
      preview.outcome = { writes, basis, etag };
    },
  };
}

/** `isOpaque`: the error does not say which streams have changed. */
type Expected = Known & { fingerprint: string; isOpaque: boolean };

function expectingMode(deps: Deps, etag: string, { fingerprint, projectId, known, isOpaque }: Expected) {
  const generated = new Set<string>();
  const { store, check } = expectBasis(deps.store, {
    findChanged: (basis) => findChanged(deps, etag, { projectId, fingerprint, basis }),
    rejectOutdated: (streams) => reject('PREVIEW_OUTDATED', { changed: isOpaque ? [] : streams.map(targetOfStream) }),
    isGenerated: (stream) => containsAny(stream, generated),
    known,
  });
  return { deps: { ...deps, ...noteGenerated(deps, generated), store }, complete: check };
}

function noteGenerated({ newId, randomCode }: Deps, generated: Set<string>): Pick<Deps, 'newId' | 'randomCode'> {
  const noting = (create: () => string) => () => {
    const text = create();
    generated.add(text);
    return text;
  };
  return { newId: noting(newId), randomCode: noting(randomCode) };
}

export const containsAny = (text: string, parts: ReadonlySet<string>): boolean =>
  [...parts].some((part) => text.includes(part));

const doNothing = async () => undefined;

/** Whatever a previewable write does besides appending. */
function withoutEffects(deps: Deps): Deps {
  return {
    ...deps,
    // Nothing depends on the hash, and hashing is expensive.
    hasher: { ...deps.hasher, hash: async () => 'previewed' },
    eraseSubject: doNothing,
    eraseAddress: doNothing,
    eraseProject: async () => 0,
    activity: { ...deps.activity, forgetUser: doNothing, forgetTeam: doNothing, forgetProject: doNothing },
    idempotencyRecords: { ...deps.idempotencyRecords, forget: doNothing },
    projects: { ...deps.projects, forget: doNothing },
  };
}

/** `*` matches whatever exists. */
function ifMatchOf({ method, headers }: FastifyRequest): string | null {
  const header = headers['if-match'];
  if (method === 'GET' || header === undefined || header.trim() === '*') return null;
  return /^"([^"]*)"$/.exec(header.trim())?.[1] ?? header;
}

type Answer = { body: unknown; stale?: (() => unknown) | undefined };

/** Sends what the write would answer as far as it is known without the write: otherwise `null`. */
export async function answerPreview(reply: FastifyReply, { body, stale }: Answer): Promise<unknown> {
  const known = stale ? await stale() : typeof body === 'function' ? undefined : body;
  return known ?? reply.type('application/json; charset=utf-8').send('null');
}
