import { Readable } from 'node:stream';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { pause } from '@gatebook/runtime/pause';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access.ts';
import type { Deps } from '../deps.ts';
import { checkCallerAgain } from './callers.ts';
import type { LiveSource, Seen } from './live-source.ts';
import { createSharedReads } from './shared-reads.ts';

/** The response of a route that ends with `sendLive`. */
export const liveResponse = { content: { 'text/event-stream': { schema: z.string() } } } as const;

export const liveLimits = {
  /** Proxies close connections that are silent for longer. */
  beatMs: 14_000,
  lifeMs: 60 * 60_000,
  maxUnsentBytes: 1_048_576,
  perProject: 1_000,
  perProcess: 4_000,
  /** How precise these times are. */
  tickMs: 1_000,
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to close. */
    closing: AbortSignal;
    /** Sends what comes after `place`, until the stream ends. @throws DomainError LIVE_STREAM_LIMIT_REACHED */
    sendLive(request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string): FastifyReply;
  }
  interface FastifyRequest {
    /** How long it took to begin a response that lasts; null for other responses. */
    beganAfterMs: number | null;
  }
}

type Stream = {
  source: LiveSource;
  projectId: string;
  body: Readable;
  place: string;
  /** The place whose cursor was sent last. */
  sentPlace: string | null;
  seen: Seen | null;
  /** What is read next has to contain the log up to here; null while the log is not followed. */
  upTo: bigint | null;
  /** There may be something to read. */
  isDirty: boolean;
  isBeatDue: boolean;
  isOver: boolean;
  /** Of `performance.now()`. */
  beatAt: number;
  endAt: number;
  /** Milliseconds since 1970. */
  keyEndsAt: number;
  /** Bytes given to the connection, and how many of them the reader had taken at the last heartbeat. */
  pushed: number;
  taken: number;
  wake: () => void;
  /** Whether an event can end the right to read. */
  endsAccess(event: Recorded): boolean;
  recheck(): Promise<void>;
  end(reason: string): void;
  unsent(): number;
};

type Parts = Pick<
  Deps,
  'projects' | 'tokens' | 'db' | 'readModels' | 'responseCipher' | 'activity' | 'tail' | 'now' | 'logger'
>;

const retryMs = 1_000;
const noop = () => undefined;
const lookAtOf = ({ source, place }: Stream): number => source.nextLookAt?.(place) ?? Number.POSITIVE_INFINITY;

/** The cursor to begin after. A client that reconnects sends the last one that it got, besides its first one. */
export const lastEventId = (request: FastifyRequest, after: string | undefined): string | undefined => {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && header !== '' ? header : after;
};

/**
 * Server-sent events of the HTML standard. A stream reads when the process sees a new event of its project in the log,
 * so an idle one costs neither queries nor connections. It ends with the right to read it, after an hour, when the
 * process stops, and for a reader that takes nothing.
 */
export function serveLiveStreams(app: FastifyInstance, parts: Parts, limits = liveLimits): void {
  const { readModels, tail, now, logger } = parts;
  const streams = new Set<Stream>();
  const sharedReads = createSharedReads();
  let timer: NodeJS.Timeout | undefined;

  function signal(stream: Stream, news: Partial<Pick<Stream, 'seen' | 'upTo'>> = {}): void {
    Object.assign(stream, news, { isDirty: true });
    stream.wake();
  }

  function see(events: readonly Recorded[]): void {
    if (streams.size === 0) return;
    for (const event of events) {
      const projectIds = projectsOf(event);
      const seen = { position: event.position, at: Date.parse(event.committedAt) };
      for (const stream of streams) {
        if (projectIds.has(stream.projectId)) signal(stream, { seen, upTo: seen.position });
        if (stream.endsAccess(event)) void recheck(stream, event.position);
      }
    }
  }

  /** Events may have been missed, or lost with the end of the log. */
  function begin(head: bigint): void {
    for (const stream of streams) {
      signal(stream, { seen: null, upTo: head });
      void recheck(stream, head);
    }
  }

  async function recheck(stream: Stream, position: bigint): Promise<void> {
    const projectIds = [stream.projectId, 'internal'];
    try {
      while (!stream.isOver && (await readModels.reached(position, undefined, projectIds)) === 'behind') {
        await pause(retryMs);
      }
      if (!stream.isOver) await stream.recheck();
    } catch (error) {
      stream.end(error instanceof Error ? error.message : String(error));
    }
  }

  function tick(): void {
    const at = performance.now();
    const time = Date.parse(now());
    for (const stream of streams) {
      if (at >= stream.endAt || time >= stream.keyEndsAt) stream.end('expired');
      else if (at >= stream.beatAt) beat(stream, at);
      if (time >= lookAtOf(stream)) signal(stream);
    }
  }

  function beat(stream: Stream, at: number): void {
    const unsent = stream.unsent();
    const taken = stream.pushed - unsent;
    if (unsent > 0 && taken === stream.taken) stream.end('the reader takes nothing');
    Object.assign(stream, { taken, beatAt: at + limits.beatMs, isBeatDue: true });
    stream.wake();
  }

  function add(stream: Stream): void {
    streams.add(stream);
    timer ??= setInterval(tick, limits.tickMs).unref();
    stream.body.once('close', () => {
      stream.isOver = true;
      stream.wake();
      streams.delete(stream);
      if (streams.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  }

  async function run(stream: Stream): Promise<void> {
    while (!stream.isOver) {
      if (stream.isBeatDue) await sendBeat(stream);
      else if (stream.isDirty) await look(stream);
      else await new Promise<void>((resolve) => Object.assign(stream, { wake: resolve }));
    }
  }

  async function sendBeat(stream: Stream): Promise<void> {
    const { source, place, sentPlace } = stream;
    const id = place === sentPlace ? '' : `id: ${await source.toCursor(place)}\n`;
    Object.assign(stream, { isBeatDue: false, sentPlace: place });
    await send(stream, Buffer.from(`: hb\n${id}\n`));
  }

  async function look(stream: Stream): Promise<void> {
    const { source, seen, upTo, place } = stream;
    stream.isDirty = false;
    if (upTo !== null && (await source.reached(upTo)) === 'behind') {
      stream.isDirty = true;
      return pause(retryMs);
    }
    const page = await sharedReads.read(source, place, seen);
    for (const item of page.items) if (!(await send(stream, item))) return;
    stream.place = page.next;
    if (page.hasMore) stream.isDirty = true;
  }

  /** Waits while the reader has too much to take. @returns whether there is still a reader */
  async function send(stream: Stream, text: Buffer): Promise<boolean> {
    if (stream.isOver) return false;
    stream.pushed += text.length;
    if (!stream.body.push(text)) {
      // Heartbeats wake it too.
      while (!stream.isOver && stream.body.readableLength >= limits.maxUnsentBytes) {
        await new Promise<void>((resolve) => Object.assign(stream, { wake: resolve }));
      }
    }
    return !stream.isOver;
  }

  function checkRoom(projectId: string, reply: FastifyReply): void {
    const ofProject = [...streams].filter((stream) => stream.projectId === projectId).length;
    if (ofProject < limits.perProject && streams.size < limits.perProcess) return;
    reply.header('retry-after', '10');
    reject('LIVE_STREAM_LIMIT_REACHED');
  }

  function createStream(request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string): Stream {
    const { projectId, keyEndsAt } = callerOf(request);
    const began = performance.now();
    const body = new Readable({ highWaterMark: limits.maxUnsentBytes, read: () => stream.wake() });
    const stream: Stream = {
      ...{ source, projectId, body, place, sentPlace: null, seen: null, wake: noop },
      // An event that was seen before may not be in the rows yet, and wakes nobody again.
      upTo: tail.followed(),
      ...{ isDirty: true, isBeatDue: true, isOver: false, pushed: 0, taken: 0 },
      beatAt: began + limits.beatMs,
      endAt: began + limits.lifeMs,
      keyEndsAt: keyEndsAt ?? Number.POSITIVE_INFINITY,
      ...accessOf(parts, request),
      unsent: () => body.readableLength + reply.raw.writableLength,
      end: (reason) => {
        if (stream.isOver) return;
        stream.isOver = true;
        logger.debug({ requestId: request.id, projectId, reason }, 'live stream ended');
        if (stream.unsent() > 0) reply.raw.destroy();
        else body.push(null);
        stream.wake();
      },
    };
    return stream;
  }

  app.decorateRequest('beganAfterMs', null);
  app.decorate('sendLive', (request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string) => {
    checkRoom(callerOf(request).projectId, reply);
    request.beganAfterMs = reply.elapsedTime;
    const stream = createStream(request, reply, source, place);
    reply.raw.once('close', () => stream.body.destroy());
    add(stream);
    stream.body.push('retry: 2000\n\n');
    run(stream).catch((error: unknown) => {
      logger.warn({ err: error, requestId: request.id }, 'live stream failed');
      stream.end('failed');
    });
    return reply.headers(liveHeaders).send(stream.body);
  });
  const closing = new AbortController();
  app.decorate('closing', closing.signal);
  app.addHook('preClose', (done) => {
    closing.abort();
    for (const stream of streams) stream.end('shutdown');
    done();
  });
  tail.add({ begin, see, end: noop });
}

const liveHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // A connection that stays open would delay a shutdown.
  connection: 'close',
};

/** The right of the caller, checked again like at the beginning when one of the events that can end it is seen. */
function accessOf(parts: Parts, request: FastifyRequest): Pick<Stream, 'endsAccess' | 'recheck'> {
  const { projectId, owner, token, keyId } = callerOf(request);
  const openedAt = Date.parse(parts.now());
  const watched = new Set([`project-${projectId}`, `projectkey-${keyId}`]);
  for (const [userId, sessionId] of [
    [owner?.id, owner?.sessionId],
    [token?.userId, token?.sessionId],
  ]) {
    watched.add(`user-${userId}`).add(`session-${sessionId}`);
  }
  return {
    endsAccess: ({ stream, metadata }) =>
      watched.has(stream) ||
      // Owners of projects can be teams.
      (owner !== null && metadata.projectId === 'internal' && /^(team|membership)-/.test(stream)),
    // An access token ends a few minutes after it began. Its session counts, which is checked too.
    recheck: () => checkCallerAgain(parts, request, keyId === null ? openedAt : Date.parse(parts.now())),
  };
}
