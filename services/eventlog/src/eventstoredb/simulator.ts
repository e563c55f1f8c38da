import { createServer, type Socket } from 'node:net';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, BatchAppendReq, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import {
  type Appended,
  createSimulatorLog,
  type Expected,
  type KeptEvent,
  type ProposedEvent,
} from './simulator-log.ts';
import {
  appendAnswer,
  batchAnswer,
  batchExpectedOf,
  caughtUpAnswer,
  checkpointAnswer,
  confirmationAnswer,
  eventAnswer,
  expectedOf,
  filterOf,
  notFoundAnswer,
  proposedOf,
  streamNameOf,
} from './simulator-messages.ts';
import { features, GossipService, gossip, ServerFeaturesService, StreamsService } from './simulator-protobuf.ts';

/** What a test can do to the server besides talking to it. */
export type Simulator = {
  port: number;
  /** Connection string for the client. */
  url: string;
  /** All stored events in order, including system events. */
  events(): readonly KeptEvent[];
  /** Number of calls by gRPC method name. */
  calls(): Readonly<Record<string, number>>;
  /** Breaks every connection and accepts new ones at once. */
  dropConnections(): void;
  /** Breaks every connection and accepts none until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Answers every call with "unavailable" on open connections, like a node without a leader. */
  rejectCalls(areRejected: boolean): void;
  /** Redirects clients that ask for the leader to the simulator at this port; null if this one is the leader. */
  followLeader(port: number | null): void;
  /** Accepts reads and never responds, like a machine that hangs. */
  hang(isHanging: boolean): void;
  /** Rejects appends to one stream; null for none. */
  rejectAppendsTo(stream: string | null): void;
  /** Stores the next appends but breaks their connections before the response. */
  loseAnswers(count: number): void;
  /** Stores this many more appends, then breaks off before the next. */
  dieAfter(appends: number): void;
  close(): Promise<void>;
};

type SimulatorSettings = {
  port?: number;
  file?: string | null;
  /** As before version 22.6: events read from their stream have no position. */
  isOld?: boolean;
};

const host = '127.0.0.1';
const streamsService = 'event_store.client.streams.streams';
const broken = { code: status.PERMISSION_DENIED, details: 'the simulator rejects this on purpose' };
const unavailable = { code: status.UNAVAILABLE, details: 'Server Is Not Ready' };
/** A filter sends a checkpoint after this many events times the client's multiplier. */
const checkpointEvents = 32;
const leaderState = 8;

/**
 * An EventStoreDB simulator for tests without a server. It speaks the part of the gRPC protocol that the log needs,
 * with the client's own generated messages. It is not EventStoreDB: one node, no security, a plain file as its disk,
 * and everything in memory.
 */
export async function startSimulator({
  port = 0,
  file = null,
  isOld = false,
}: SimulatorSettings = {}): Promise<Simulator> {
  const log = createSimulatorLog(file);
  const sockets = new Set<Socket>();
  const calls: Record<string, number> = {};
  const ended = new AbortController();
  let areCallsRejected = false;
  let isHanging = false;
  let leaderPort: number | null = null;
  let rejectedStream: string | null = null;
  let answersToLose = 0;
  let appendsToLive: number | null = null;

  const grpc = new Server({ 'grpc.max_receive_message_length': 64 * 1024 * 1024 });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    injector.injectConnection(socket);
  });

  function dropConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  const listen = () =>
    new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, host, () => {
        listener.off('error', reject);
        resolve();
      });
    });

  async function goAway(): Promise<void> {
    if (!listener.listening) return;
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    dropConnections();
    await closed;
  }

  function count(method: string): void {
    calls[method] = (calls[method] ?? 0) + 1;
  }

  /** @returns null if the connection was broken instead of a response */
  function append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Appended | null {
    if (appendsToLive === 0) {
      appendsToLive = null;
      void goAway();
      return null;
    }
    const appended = log.append(stream, expected, events);
    if (appended.outcome === 'appended' && appendsToLive !== null) appendsToLive -= 1;
    if (answersToLose === 0) return appended;
    answersToLose -= 1;
    dropConnections();
    return null;
  }

  const streams: IStreamsServer = {
    append: (call, answer) => {
      count('append');
      const requests: AppendReq[] = [];
      call.on('error', () => undefined);
      call.on('data', (request: AppendReq) => requests.push(request));
      call.on('end', () => {
        const options = requests[0]?.getOptions();
        if (areCallsRejected) return answer(unavailable);
        if (!options) return answer({ code: status.INVALID_ARGUMENT, details: 'an append begins with its options' });
        const stream = streamNameOf(options.getStreamIdentifier());
        if (stream === rejectedStream) return answer(broken);
        const messages = requests.flatMap((request) => request.getProposedMessage() ?? []);
        const expected = expectedOf(options);
        const appended = append(stream, expected, messages.map(proposedOf));
        if (appended) answer(null, appendAnswer(expected, appended));
      });
    },
    batchAppend: (call) => {
      count('batchAppend');
      const open = new Map<string, BatchAppendReq[]>();
      call.on('error', () => undefined);
      call.on('end', () => call.end());
      call.on('data', (request: BatchAppendReq) => {
        const id = String(request.getCorrelationId());
        const requests = [...(open.get(id) ?? []), request];
        open.set(id, requests);
        if (!request.getIsFinal()) return;
        open.delete(id);
        const [first] = requests;
        const options = first?.getOptions();
        if (!first || !options) return;
        const stream = streamNameOf(options.getStreamIdentifier());
        if (areCallsRejected || stream === rejectedStream) {
          call.emit('error', areCallsRejected ? unavailable : broken);
          return;
        }
        const expected = batchExpectedOf(options);
        const messages = requests.flatMap((part) => part.getProposedMessagesList());
        const appended = append(stream, expected, messages.map(proposedOf));
        if (appended) call.write(batchAnswer(first, expected, appended));
      });
    },
    read: (call) => {
      count('read');
      const options = call.request.getOptions();
      if (areCallsRejected || !options) {
        call.emit('error', unavailable);
        return;
      }
      if (isHanging) return;
      if (leaderPort !== null && call.metadata.get('requires-leader').length > 0) {
        call.emit('error', notLeader(leaderPort));
        return;
      }
      const stopped = new AbortController();
      const stop = () => stopped.abort();
      call.on('cancelled', stop);
      call.on('close', stop);
      call.on('error', stop);
      ended.signal.addEventListener('abort', stop);
      answerRead(call, options, stopped.signal)
        .then(() => call.end())
        .catch((error: unknown) => {
          if (!stopped.signal.aborted) call.emit('error', error);
        })
        .finally(() => ended.signal.removeEventListener('abort', stop));
    },
    delete: (_call, answer) => answer({ code: status.UNIMPLEMENTED, details: 'the log is append-only' }),
    tombstone: (_call, answer) => answer({ code: status.UNIMPLEMENTED, details: 'the log is append-only' }),
  };

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
    await send(confirmationAnswer(`subscription ${calls.read}`));
    while (!signal.aborted) {
      const event = events()[at];
      if (!event) {
        if (!isLive) await send(caughtUpAnswer());
        isLive = true;
        await log.changed(signal);
        continue;
      }
      at += 1;
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

  grpc.addService(StreamsService, streams);
  grpc.addService(ServerFeaturesService, {
    getSupportedMethods: (_call, answer) => {
      count('getSupportedMethods');
      if (areCallsRejected) return answer(unavailable);
      const methods = ['append', 'batchappend', 'read'].map((name) =>
        new features.SupportedMethod().setServiceName(streamsService).setMethodName(name),
      );
      answer(null, new features.SupportedMethods().setEventStoreServerVersion('simulator').setMethodsList(methods));
    },
  } satisfies IServerFeaturesServer);
  grpc.addService(GossipService, {
    read: (_call, answer) => {
      count('gossip');
      if (areCallsRejected) return answer(unavailable);
      const member = new gossip.MemberInfo()
        .setState(leaderState)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
      answer(null, new gossip.ClusterInfo().setMembersList([member]));
    },
  } satisfies IGossipServer);

  await listen();
  const address = listener.address();
  if (typeof address === 'object' && address) port = address.port;

  return {
    port,
    url: `esdb://${host}:${port}?tls=false`,
    events: () => log.events,
    calls: () => calls,
    dropConnections,
    goAway,
    comeBack: listen,
    rejectCalls: (areRejected) => {
      areCallsRejected = areRejected;
    },
    followLeader: (ofPort) => {
      leaderPort = ofPort;
    },
    hang: (isHangingNow) => {
      isHanging = isHangingNow;
    },
    rejectAppendsTo: (stream) => {
      rejectedStream = stream;
    },
    loseAnswers: (count) => {
      answersToLose = count;
    },
    dieAfter: (appends) => {
      appendsToLive = appends;
    },
    close: async () => {
      ended.abort();
      await goAway();
      grpc.forceShutdown();
    },
  };
}

/** A subscription's error, with the address of the leader. */
function notLeader(port: number) {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', host);
  metadata.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
}

type ReadCall = ServerWritableStream<ReadReq, ReadResp>;
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
