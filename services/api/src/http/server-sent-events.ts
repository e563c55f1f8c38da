import type { OutgoingHttpHeaders } from 'node:http';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { projectsOf } from '@gatebook/readmodel/project-scopes';
import { pause } from '@gatebook/runtime/pause';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access.ts';
import type { Deps } from '../deps.ts';
import { accessOf } from './live-access.ts';
import { createLiveSender, type LiveStream } from './live-sender.ts';
import type { LiveSource } from './live-source.ts';
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
    /** For live streams: how long the response took to begin; null for other responses. */
    live: { beganAfterMs: number; projectId: string } | null;
  }
}

type Parts = Pick<
  Deps,
  'projects' | 'tokens' | 'db' | 'readModels' | 'responseCipher' | 'activity' | 'tail' | 'now' | 'logger'
>;

const retryMs = 1_000;
const noop = () => undefined;
const lookAtOf = ({ source, place }: LiveStream): number => source.nextLookAt?.(place) ?? Number.POSITIVE_INFINITY;

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
  const streams = new Set<LiveStream>();
  const { wake, notify, write, end } = createLiveSender({ logger, maxUnsentBytes: limits.maxUnsentBytes });
  let timer: NodeJS.Timeout | undefined;

  function see(events: readonly Recorded[]): void {
    if (streams.size === 0) return;
    for (const event of events) {
      const projectIds = projectsOf(event);
      const seen = { position: event.position, at: Date.parse(event.committedAt) };
      for (const stream of streams) {
        if (projectIds.has(stream.projectId)) notify(stream, { seen, upTo: seen.position });
        if (stream.endsAccess(event)) void recheck(stream, event.position);
      }
    }
  }

  /** Events may have been missed, or lost with the end of the log. */
  function begin(head: bigint): void {
    for (const stream of streams) {
      notify(stream, { seen: null, upTo: head });
      void recheck(stream, head);
    }
  }

  async function recheck(stream: LiveStream, position: bigint): Promise<void> {
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
      if (time >= lookAtOf(stream)) notify(stream);
    }
  }

  function beat(stream: LiveStream, at: number): void {
    const unsent = stream.response.writableLength;
    const taken = stream.pushed - unsent;
    if (unsent > 0 && taken === stream.taken) end(stream, 'the reader takes nothing');
    Object.assign(stream, { taken, beatAt: at + limits.beatMs, isBeatDue: true });
    wake(stream);
  }

  function add(stream: LiveStream): void {
    streams.add(stream);
    timer ??= setInterval(tick, limits.tickMs).unref();
    const { response } = stream;
    response.on('error', noop);
    response.on('drain', () => wake(stream));
    response.once('close', () => remove(stream));
  }

  function remove(stream: LiveStream): void {
    stream.isOver = true;
    stream.resume?.();
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function checkRoom(projectId: string, reply: FastifyReply): void {
    const ofProject = [...streams].filter((stream) => stream.projectId === projectId).length;
    if (ofProject < limits.perProject && streams.size < limits.perProcess) return;
    reply.header('retry-after', '10');
    reject('LIVE_STREAM_LIMIT_REACHED');
  }

  function createStream(request: FastifyRequest, reply: FastifyReply, source: LiveSource, place: string): LiveStream {
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
