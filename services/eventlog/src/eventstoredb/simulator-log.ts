import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** An event as an EventStoreDB server stores it. Times are in milliseconds. */
export type KeptEvent = {
  id: string;
  stream: string;
  type: string;
  contentType: string;
  data: Buffer;
  metadata: Buffer;
  createdAt: number;
  revision: bigint;
  position: bigint;
};
export type ProposedEvent = Pick<KeptEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;
export type Expected = bigint | 'any' | 'no stream' | 'stream exists';
export type Appended =
  | { outcome: 'appended'; revision: bigint; position: bigint }
  /** The same events are already stored. */
  | { outcome: 'repeated'; revision: bigint }
  /** `current` is null if the stream does not exist. */
  | { outcome: 'wrong version'; current: bigint | null };

export type SimulatorLog = {
  /** All stored events in order, including system events. */
  readonly events: readonly KeptEvent[];
  /** Oldest first; undefined if the stream does not exist. */
  stream(name: string): readonly KeptEvent[] | undefined;
  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Appended;
  /** Index of the event at this position; -1 if there is no event. */
  indexOf(position: bigint): number;
  /** Resolves at the next append, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;
};

/** Records of a real log have headers, because positions are offsets in a file, not counts. */
const headBytes = 60;
const firstPosition = 1_024n;
/** The server writes system events in between this often, as a real one does. */
const systemEventEvery = 7;

/**
 * The data of the simulator, with the rules of EventStoreDB: positions rise with gaps, a repeated append is recognized
 * by its event IDs, and system events lie between the others. With `file`, the log survives a restart; each append is a
 * line.
 */
export function createSimulatorLog(file: string | null, now: () => number = Date.now): SimulatorLog {
  const events: KeptEvent[] = [];
  const streams = new Map<string, KeptEvent[]>();
  const indexes = new Map<bigint, number>();
  const waiting = new Set<() => void>();
  let nextPosition = firstPosition;
  let appends = 0;

  function keep(event: KeptEvent): void {
    indexes.set(event.position, events.length);
    events.push(event);
    const ofStream = streams.get(event.stream);
    if (ofStream) ofStream.push(event);
    else streams.set(event.stream, [event]);
    nextPosition = event.position + BigInt(headBytes + event.stream.length + event.data.length + event.metadata.length);
  }

  function add(stream: string, proposed: readonly ProposedEvent[]): KeptEvent[] {
    const added = proposed.map((event) => {
      const revision = BigInt(streams.get(stream)?.length ?? 0);
      const kept = { ...event, stream, revision, position: nextPosition, createdAt: now() };
      keep(kept);
      return kept;
    });
    if (file !== null) appendFileSync(file, `${JSON.stringify(added.map(toLine))}\n`);
    return added;
  }

  function addSystemEvent(): void {
    const data = Buffer.from(JSON.stringify({ 'proc-id': process.pid }));
    const id = `00000000-0000-4000-8000-${String(appends).padStart(12, '0')}`;
    add('$stats-simulator', [
      { id, type: '$statsCollected', contentType: 'application/json', data, metadata: Buffer.alloc(0) },
    ]);
  }

  if (file !== null && existsSync(file)) for (const event of readKept(file)) keep(event);
  if (events.length === 0) addSystemEvent();

  return {
    events,
    stream: (name) => streams.get(name),
    append: (stream, expected, proposed) => {
      const present = streams.get(stream) ?? [];
      const current = BigInt(present.length) - 1n;
      const before = expected === 'no stream' ? -1n : typeof expected === 'bigint' ? expected : current;
      if (before !== current || (expected === 'stream exists' && current < 0n)) {
        const isRepeated =
          proposed.length > 0 && proposed.every(({ id }, at) => present[Number(before) + 1 + at]?.id === id);
        if (isRepeated) return { outcome: 'repeated', revision: before + BigInt(proposed.length) };
        return { outcome: 'wrong version', current: current < 0n ? null : current };
      }
      const last = add(stream, proposed).at(-1);
      appends += 1;
      if (appends % systemEventEvery === 0) addSystemEvent();
      for (const resume of waiting) resume();
      return { outcome: 'appended', revision: last?.revision ?? current, position: last?.position ?? nextPosition };
    },
    indexOf: (position) => indexes.get(position) ?? -1,
    changed: (signal) =>
      new Promise((resolve) => {
        const resume = () => {
          waiting.delete(resume);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        waiting.add(resume);
        signal.addEventListener('abort', resume);
        if (signal.aborted) resume();
      }),
  };
}

type Line = Record<keyof KeptEvent, string>;

function toLine({ data, metadata, createdAt, revision, position, ...event }: KeptEvent): Line {
  return {
    ...event,
    data: data.toString('base64'),
    metadata: metadata.toString('base64'),
    createdAt: String(createdAt),
    revision: String(revision),
    position: String(position),
  };
}

/** Remove a last line that a crash cut off; it was never acknowledged. */
function* readKept(file: string): Iterable<KeptEvent> {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  truncateSync(file, end);
  for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
    if (line === '') continue;
    for (const { data, metadata, createdAt, revision, position, ...event } of JSON.parse(line) as Line[]) {
      yield {
        ...event,
        data: Buffer.from(data, 'base64'),
        metadata: Buffer.from(metadata, 'base64'),
        createdAt: Number(createdAt),
        revision: BigInt(revision),
        position: BigInt(position),
      };
    }
  }
}
