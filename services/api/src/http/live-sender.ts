import type { ServerResponse } from 'node:http';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { LiveAccess } from './live-access.ts';
import type { LiveSource, Seen } from './live-source.ts';
import { createSharedReads } from './shared-reads.ts';

export type LiveStream = LiveAccess & {
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
  /** As `performance.now()` returns it. */
  beatAt: number;
  endAt: number;
  /** Milliseconds since 1970. */
  keyEndsAt: number;
  /** Bytes given to the connection, and how many of them the reader had taken at the last heartbeat. */
  pushed: number;
  taken: number;
};

const retryMs = 1_000;

/** `end`: destroys the connection of a reader that has not taken everything. */
export type LiveSender = {
  /** Sends what is due. */
  wake(stream: LiveStream): void;
  /** There may be something to read. */
  notify(stream: LiveStream, news?: Partial<Pick<LiveStream, 'seen' | 'upTo'>>): void;
  write(stream: LiveStream, text: Buffer): void;
  end(stream: LiveStream, reason: string): void;
};

/** Reads for streams and sends to their readers, each at its own speed. */
export function createLiveSender({ logger, maxUnsentBytes }: { logger: Logger; maxUnsentBytes: number }): LiveSender {
  const sharedReads = createSharedReads();

  function notify(stream: LiveStream, news: Partial<Pick<LiveStream, 'seen' | 'upTo'>> = {}): void {
    Object.assign(stream, news, { isDirty: true });
    wake(stream);
  }

  function wake(stream: LiveStream): void {
    if (stream.resume) stream.resume();
    else if (!stream.isRunning && !stream.isOver) void run(stream);
  }

  function end(stream: LiveStream, reason: string): void {
    if (stream.isOver) return;
    stream.isOver = true;
    const { response, projectId } = stream;
    logger.debug({ requestId: response.getHeader('x-stack-request-id'), projectId, reason }, 'live stream ended');
    if (response.writableLength > 0) response.destroy();
    else response.end();
    stream.resume?.();
  }

  async function run(stream: LiveStream): Promise<void> {
    stream.isRunning = true;
    try {
      while (!stream.isOver && (stream.isBeatDue || stream.isDirty)) {
        await (stream.isBeatDue ? sendBeat(stream) : readNext(stream));
      }
    } catch (error) {
      const requestId = stream.response.getHeader('x-stack-request-id');
      logger.warn({ err: error, requestId }, 'live stream failed');
      end(stream, 'failed');
    }
    stream.isRunning = false;
  }

  async function sendBeat(stream: LiveStream): Promise<void> {
    const { source, place, sentPlace } = stream;
    const id = place === sentPlace ? '' : `id: ${await source.toCursor(place)}\n`;
    Object.assign(stream, { isBeatDue: false, sentPlace: place });
    await send(stream, Buffer.from(`: hb\n${id}\n`));
  }

  async function readNext(stream: LiveStream): Promise<void> {
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

  function write(stream: LiveStream, text: Buffer): void {
    stream.pushed += text.length;
    stream.response.write(text);
  }

  /** Waits while the reader has too much to take. @returns whether there is still a reader */
  async function send(stream: LiveStream, text: Buffer): Promise<boolean> {
    if (stream.isOver) return false;
    write(stream, text);
    // Heartbeats resume it too.
    while (!stream.isOver && stream.response.writableLength >= maxUnsentBytes) {
      await new Promise<void>((resolve) => Object.assign(stream, { resume: resolve }));
      stream.resume = null;
    }
    return !stream.isOver;
  }

  return { wake, notify, write, end };
}
