import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
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
import { runSendSteps } from './steps.ts';

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
    /**
     * Begins to send what comes after `place`, until the stream ends. Resolves when it has begun: a handler that waited
     * for its end would keep all that it refers to in memory. @throws DomainError LIVE_STREAM_LIMIT_REACHED
     */
    sendLive(request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string): Promise<undefined>;
  }
  interface FastifyRequest {
    /** Of a response that lasts: how long it took to begin; null for other responses. */
    live: { beganAfterMs: number; projectId: string } | null;
  }
}

type Stream = {
  source: LiveSource;
  projectId: string;
  response: ServerResponse;
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
  /** Is reading or sending. An idle stream runs no function that waits, because that takes memory. */
  isRunning: boolean;
  /** Goes on with sending to a reader that had too much to take; null while nothing waits for that. */
  resume: (() => void) | null;
  /** Of `performance.now()`. */
  beatAt: number;
  endAt: number;
  /** Milliseconds since 1970. */
  keyEndsAt: number;
  /** Bytes given to the connection, and how many of them the reader had taken at the last heartbeat. */
  pushed: number;
  taken: number;
  /** Whether an event can end the right to read. */
  endsAccess(event: Recorded): boolean;
  recheck(): Promise<void>;
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
    wake(stream);
  }

  function wake(stream: Stream): void {
    if (stream.resume) stream.resume();
    else if (!stream.isRunning && !stream.isOver) void run(stream);
  }

  function end(stream: Stream, reason: string): void {
    if (stream.isOver) return;
    stream.isOver = true;
    const { response, projectId } = stream;
    logger.debug({ requestId: response.getHeader('x-stack-request-id'), projectId, reason }, 'live stream ended');
    if (response.writableLength > 0) response.destroy();
    else response.end();
    stream.resume?.();
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
      end(stream, error instanceof Error ? error.message : String(error));
    }
  }

  function tick(): void {
    const at = performance.now();
    const time = Date.parse(now());
    for (const stream of streams) {
      if (at >= stream.endAt || time >= stream.keyEndsAt) end(stream, 'expired');
      else if (at >= stream.beatAt) beat(stream, at);
      if (time >= lookAtOf(stream)) signal(stream);
    }
  }

  function beat(stream: Stream, at: number): void {
    const unsent = stream.response.writableLength;
    const taken = stream.pushed - unsent;
    if (unsent > 0 && taken === stream.taken) end(stream, 'the reader takes nothing');
    Object.assign(stream, { taken, beatAt: at + limits.beatMs, isBeatDue: true });
    wake(stream);
  }

  function add(stream: Stream): void {
    streams.add(stream);
    timer ??= setInterval(tick, limits.tickMs).unref();
    const { response } = stream;
    response.on('error', noop);
    response.on('drain', () => wake(stream));
    response.once('close', () => remove(stream));
  }

  function remove(stream: Stream): void {
    stream.isOver = true;
    stream.resume?.();
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function run(stream: Stream): Promise<void> {
    stream.isRunning = true;
    try {
      while (!stream.isOver && (stream.isBeatDue || stream.isDirty)) {
        await (stream.isBeatDue ? sendBeat(stream) : look(stream));
      }
    } catch (error) {
      const requestId = stream.response.getHeader('x-stack-request-id');
      logger.warn({ err: error, requestId }, 'live stream failed');
      end(stream, 'failed');
    }
    stream.isRunning = false;
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
    for (const packet of page.packets) if (!(await send(stream, packet))) return;
    stream.place = page.next;
    if (page.hasMore) stream.isDirty = true;
  }

  function write(stream: Stream, text: Buffer): void {
    stream.pushed += text.length;
    stream.response.write(text);
  }

  /** Waits while the reader has too much to take. @returns whether there is still a reader */
  async function send(stream: Stream, text: Buffer): Promise<boolean> {
    if (stream.isOver) return false;
    write(stream, text);
    // Heartbeats resume it too.
    while (!stream.isOver && stream.response.writableLength >= limits.maxUnsentBytes) {
      await new Promise<void>((resolve) => Object.assign(stream, { resume: resolve }));
      stream.resume = null;
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
    return {
      ...{ source, projectId, response: reply.raw, place, sentPlace: null, seen: null },
      // An event that was seen before may not be in the rows yet, and wakes nobody again.
      upTo: tail.followed(),
      ...{ isDirty: true, isBeatDue: true, isOver: false, isRunning: true, resume: null, pushed: 0, taken: 0 },
      beatAt: began + limits.beatMs,
      endAt: began + limits.lifeMs,
      keyEndsAt: keyEndsAt ?? Number.POSITIVE_INFINITY,
      ...accessOf(parts, request),
    };
  }

  /** Without Fastify's own stream, whose listeners take more memory than the connection. */
  async function beginResponse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers(liveHeaders);
    await runSendSteps(app, request, reply);
    reply.hijack();
    // A shutdown may have ended it.
    if (reply.raw.headersSent) return;
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    // Node keeps the text of the headers, in one piece only if it is sent alone.
    reply.raw.flushHeaders();
  }

  app.decorateRequest('live', null);
  app.decorate('sendLive', async (request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string) => {
    const { projectId } = callerOf(request);
    checkRoom(projectId, reply);
    request.live = { beganAfterMs: reply.elapsedTime, projectId };
    const stream = createStream(request, reply, source, place);
    add(stream);
    try {
      await beginResponse(request, reply);
    } catch (error) {
      remove(stream);
      throw error;
    }
    // The caller has the configuration of the project, and Node keeps the request.
    request.caller = null;
    // The client may be gone.
    if (stream.isOver || reply.raw.destroyed) remove(stream);
    else {
      stream.isRunning = false;
      write(stream, Buffer.from('retry: 2000\n\n'));
      wake(stream);
    }
    return undefined;
  });
  const closing = new AbortController();
  app.decorate('closing', closing.signal);
  app.addHook('preClose', (done) => {
    closing.abort();
    for (const stream of streams) end(stream, 'shutdown');
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
  const members = [
    { userId: owner?.id, sessionId: owner?.sessionId },
    { userId: token?.userId, sessionId: token?.sessionId },
  ];
  const watched = [
    `project-${projectId}`,
    ...(keyId === null ? [] : [`projectkey-${keyId}`]),
    ...members.flatMap(({ userId, sessionId }) => (userId ? [`user-${userId}`, `session-${sessionId}`] : [])),
  ];
  const isOfOwner = owner !== null;
  return {
    endsAccess: ({ stream, metadata }) =>
      watched.includes(stream) ||
      // Owners of projects can be teams.
      (isOfOwner && metadata.projectId === 'internal' && /^(team|membership)-/.test(stream)),
    // An access token ends a few minutes after it began. Its session counts, which is checked too.
    recheck: () => checkCallerAgain(parts, request, keyId === null ? openedAt : Date.parse(parts.now())),
  };
}
