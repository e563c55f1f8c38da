import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { findDenial, type SimulatorUser, sizeOf, tooLarge } from './simulator-access.ts';
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
  expectedOf,
  proposedOf,
  streamNameOf,
} from './simulator-messages.ts';
import { features, GossipService, gossip, ServerFeaturesService, StreamsService } from './simulator-protobuf.ts';
import { createSimulatorReads } from './simulator-reads.ts';

/** What a test can do to the server besides talking to it. */
export type Simulator = {
  port: number;
  /** Connection string for the client. */
  url: string;
  /** All stored events in order, including system events. */
  events(): readonly KeptEvent[];
  /** Number of calls by gRPC method name. */
  calls(): Readonly<Record<string, number>>;
  /** How many events all subscriptions together have looked at. */
  scanned(): number;
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
  /** How far the clock of the server is ahead, in milliseconds. */
  setClock(offsetMs: number): void;
  /** Stores this many more appends, then breaks off before the next. */
  dieAfter(appends: number): void;
  close(): Promise<void>;
};

type SimulatorSettings = {
  port?: number;
  file?: string | null;
  /** As before version 22.6: events read from their stream have no position. */
  isOld?: boolean;
  /** Largest append, as the server's setting. */
  maxAppendBytes?: number;
  /** Key and certificate in PEM; without them, connections are not encrypted. */
  tls?: { key: string; cert: string } | null;
  /** Users by name; null if nobody has to log in. */
  users?: Readonly<Record<string, SimulatorUser>> | null;
};

const host = '127.0.0.1';
const streamsService = 'event_store.client.streams.streams';
const broken = { code: status.PERMISSION_DENIED, details: 'the simulator rejects this on purpose' };
const unavailable = { code: status.UNAVAILABLE, details: 'Server Is Not Ready' };
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
  maxAppendBytes = 1_048_576,
  tls = null,
  users = null,
}: SimulatorSettings = {}): Promise<Simulator> {
  let clockOffset = 0;
  const log = createSimulatorLog(file, () => Date.now() + clockOffset);
  const reads = createSimulatorReads(log, { isOld });
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
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    injector.injectConnection(socket);
  };
  const listener = tls ? createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, accept) : createServer(accept);

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
        const denial = findDenial(users, call.metadata);
        if (denial) return answer(denial);
        if (!options) return answer({ code: status.INVALID_ARGUMENT, details: 'an append begins with its options' });
        const stream = streamNameOf(options.getStreamIdentifier());
        if (stream === rejectedStream) return answer(broken);
        const events = requests.flatMap((request) => request.getProposedMessage() ?? []).map(proposedOf);
        if (sizeOf(events) > maxAppendBytes) return answer(tooLarge(maxAppendBytes));
        const expected = expectedOf(options);
        const appended = append(stream, expected, events);
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
      const denial = findDenial(users, call.metadata, { readsAll: options.hasAll() });
      if (denial) {
        call.emit('error', denial);
        return;
      }
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
      reads
        .answerRead(call, options, stopped.signal)
        .then(() => call.end())
        .catch((error: unknown) => {
          if (!stopped.signal.aborted) call.emit('error', error);
        })
        .finally(() => ended.signal.removeEventListener('abort', stop));
    },
    delete: (_call, answer) => answer({ code: status.UNIMPLEMENTED, details: 'the log is append-only' }),
    tombstone: (_call, answer) => answer({ code: status.UNIMPLEMENTED, details: 'the log is append-only' }),
  };

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
    url: `esdb://${host}:${port}?tls=${tls !== null}`,
    events: () => log.events,
    calls: () => calls,
    scanned: reads.scanned,
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
    setClock: (offsetMs) => {
      clockOffset = offsetMs;
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
