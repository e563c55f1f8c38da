import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { KeptEvent, SimulatorLog } from './simulator-log.ts';
import {
  caughtUpAnswer,
  checkpointAnswer,
  confirmationAnswer,
  eventAnswer,
  filterOf,
  notFoundAnswer,
  streamNameOf,
} from './simulator-messages.ts';

/** A filter sends a checkpoint after this many events times the client's multiplier. */
const checkpointEvents = 32;

/** Answers reads and subscriptions as EventStoreDB does. */
export function createSimulatorReads(log: SimulatorLog, { isOld }: { isOld: boolean }) {
  let subscriptions = 0;
  let scanned = 0;

  async function answerRead(call: ReadCall, options: ReadReq.Options, signal: AbortSignal): Promise<void> {
    const send = sender(call, signal);
    if (options.hasSubscription()) return answerSubscription(options, send, signal);
    const isFromAll = options.hasAll();
    const stream = streamNameOf(options.getStream()?.getStreamIdentifier());
    const events = isFromAll ? log.events : log.stream(stream);
    if (!events) return send(notFoundAnswer(stream));
    const passes = filterOf(options);
    let left = BigInt(options.getCount());
    for (const event of inOrder(events, options)) {
      if (left === 0n || signal.aborted) return;
      if (!passes(event)) continue;
      await send(eventAnswer(event, { tellsPosition: isFromAll || !isOld }));
      left -= 1n;
    }
  }

  /** Events from the start of a read, in its direction. May include events appended during the read. */
  function* inOrder(events: readonly KeptEvent[], options: ReadReq.Options): Iterable<KeptEvent> {
    const isBackwards = options.getReadDirection() === 1;
    const start = options.hasAll() ? startInAll(options, isBackwards) : startInStream(events, options);
    if (isBackwards) for (let at = Math.min(start, events.length - 1); at >= 0; at -= 1) yield events[at] as KeptEvent;
    else for (let at = start; at < events.length; at += 1) yield events[at] as KeptEvent;
  }

  /** Forwards, the event at the position comes first; backwards, the event before it. */
  function startInAll(options: ReadReq.Options, isBackwards: boolean): number {
    const all = options.getAll();
    if (all?.hasEnd()) return isBackwards ? log.events.length - 1 : log.events.length;
    const position = all?.getPosition()?.getCommitPosition();
    if (position === undefined) return 0;
    return indexAt(BigInt(position)) - (isBackwards ? 1 : 0);
  }

  function startInStream(events: readonly KeptEvent[], options: ReadReq.Options): number {
    const place = options.getStream();
    if (place?.hasEnd()) return events.length - 1;
    return place?.hasRevision() ? Number(place.getRevision()) : 0;
  }

  /** A real log cannot be read from the middle of a record either. */
  function indexAt(position: bigint): number {
    const index = log.indexOf(position);
    if (index >= 0) return index;
    throw { code: status.INVALID_ARGUMENT, details: `no event lies at position ${position}` };
  }

  async function answerSubscription(options: ReadReq.Options, send: Send, signal: AbortSignal): Promise<void> {
    const isFromAll = options.hasAll();
    const stream = streamNameOf(options.getStream()?.getStreamIdentifier());
    const passes = filterOf(options);
    const checkpointEvery = checkpointEvents * (options.getFilter()?.getCheckpointintervalmultiplier() ?? 0);
    const events = () => (isFromAll ? log.events : (log.stream(stream) ?? []));
    let at = isFromAll ? afterInAll(options) : afterInStream(options, events());
    let sinceCheckpoint = 0;
    let isLive = false;
    subscriptions += 1;
    await send(confirmationAnswer(`subscription ${subscriptions}`));
    while (!signal.aborted) {
      const event = events()[at];
      if (!event) {
        if (!isLive) await send(caughtUpAnswer());
        isLive = true;
        await log.changed(signal);
        continue;
      }
      at += 1;
      scanned += 1;
      sinceCheckpoint += 1;
      if (passes(event)) await send(eventAnswer(event, { tellsPosition: isFromAll || !isOld }));
      if (checkpointEvery > 0 && sinceCheckpoint >= checkpointEvery) {
        sinceCheckpoint = 0;
        await send(checkpointAnswer(event.position));
      }
    }
  }

  /** A subscription begins after its position. */
  function afterInAll(options: ReadReq.Options): number {
    const all = options.getAll();
    if (all?.hasEnd()) return log.events.length;
    const position = all?.getPosition()?.getCommitPosition();
    return position === undefined ? 0 : indexAt(BigInt(position)) + 1;
  }

  function afterInStream(options: ReadReq.Options, events: readonly KeptEvent[]): number {
    const place = options.getStream();
    if (place?.hasEnd()) return events.length;
    return place?.hasRevision() ? Number(place.getRevision()) + 1 : 0;
  }

  /** `scanned`: how many events all subscriptions together have looked at. */
  return { answerRead, scanned: () => scanned };
}

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;
type Send = (answer: ReadResp) => Promise<void>;

/** Waits while the client does not keep up. */
function sender(call: ReadCall, signal: AbortSignal): Send {
  return async (answer) => {
    if (call.write(answer) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        call.off('drain', resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      call.on('drain', resume);
      signal.addEventListener('abort', resume);
    });
  };
}
