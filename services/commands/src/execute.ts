import { isDeepStrictEqual } from 'node:util';
import type { Decider } from '@gatebook/domain/decider';
import { reject } from '@gatebook/domain/errors';
import type { DomainEvent, NewMetadata } from '@gatebook/domain/event';
import { internalProjectId } from '@gatebook/domain/project/decide';
import { requestDecider } from '@gatebook/domain/request/decide';
import { ConcurrencyError, type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';
import { noTracers } from '@gatebook/runtime/instruments';
import { recordBasis } from './basis.ts';
import type { Context, UnitOfWorkDeps } from './deps.ts';
import { streamOf } from './streams.ts';

const maxAttempts = 8;
const firstPauseMs = 10;

type Command = { type: string };

/** One stream inside a unit of work: its state, and what the command decides on it. */
export type LoadedAggregate<S, C> = {
  /** Includes everything decided so far. */
  readonly state: S;
  /** The revision as if everything decided so far had been appended. */
  readonly revision: bigint;
  decide(command: C): void;
  /**
   * Like `decide`, for an event whose only purpose is to conflict with other writers: appended again on every attempt.
   */
  guard(command: C): void;
};

/** What one command reads and decides, all appended together. */
export type UnitOfWork = {
  readonly deps: UnitOfWorkDeps;
  readonly ctx: Context;
  load<S, C extends Command, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
  ): Promise<LoadedAggregate<S, C>>;
  /** A stream that can't exist yet, because its ID is new. */
  create<S, C extends Command, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string): LoadedAggregate<S, C>;
  /** Whether an earlier attempt of the command has appended to this stream. */
  hasAppended(stream: string): boolean;
};

type PendingWrite = Write & { events: DomainEvent[]; isGuard: boolean };
/**
 * What earlier attempts of this command appended, by stream. Not empty only where the log may keep a prefix of an
 * append.
 */
type AppendedWrites = Map<string, PendingWrite>;
/** Revisions of remembered states that a decision used without asking the log, by stream. */
type Assumed = Map<string, bigint>;
/** `assumed` is null if every state must be read. `commandTypes` gets those that were decided. */
type Attempt = {
  pending: PendingWrite[];
  appended: AppendedWrites;
  assumed: Assumed | null;
  commandTypes: Set<string>;
};

/**
 * Runs `decide` on current state and appends its events, streams in the order of their first events: keep every prefix
 * of them harmless. A conflict or an outdated remembered state runs `decide` again, so it must have no side effects.
 * What an earlier attempt appended is ignored when deciding again and is not appended twice (docs/decisions/0014).
 * @returns what `decide` returned, and the position of the last event: null when nothing changed
 * @throws ConcurrencyError after 8 conflicts; DomainError as the deciders reject, RESPONSE_LOST when another request
 * with the same idempotency key was decided, and PROJECT_NOT_FOUND when the project was deleted
 */
export function transact<T>(
  deps: UnitOfWorkDeps,
  ctx: Context,
  decide: (work: UnitOfWork) => Promise<T>,
): Promise<{ result: T; position: bigint | null }> {
  const { trace = noTracers.trace } = deps;
  const { projectId, requestId, cause } = ctx;
  const attributes = { 'gatebook.project_id': projectId };
  const span = { name: 'command', correlationId: cause?.correlationId ?? requestId, attributes } as const;
  return trace(span, async (note) => {
    const commandTypes = new Set<string>();
    try {
      return await decideAndAppend(deps, ctx, decide, commandTypes);
    } finally {
      note({ 'gatebook.command.types': [...commandTypes] });
    }
  });
}

async function decideAndAppend<T>(
  deps: UnitOfWorkDeps,
  ctx: Context,
  decide: (work: UnitOfWork) => Promise<T>,
  commandTypes: Set<string>,
): Promise<{ result: T; position: bigint | null }> {
  const at = deps.now();
  const store = recordBasis(deps.store);
  const appended: AppendedWrites = new Map();

  async function decideOnce(
    isOptimistic: boolean,
  ): Promise<{ result: T; pending: PendingWrite[]; hasAssumed: boolean }> {
    const pending: PendingWrite[] = [];
    const assumed: Assumed = new Map();
    const work = createUnitOfWork({ ...deps, store }, ctx, {
      pending,
      appended,
      assumed: isOptimistic ? assumed : null,
      commandTypes,
    });
    let result: T;
    try {
      result = await decide(work);
      if (pending.length > 0) await recordDecision(work, at);
    } catch (error) {
      if (await isCurrent(store, assumed)) throw error;
      return decideOnce(false);
    }
    const hasAssumed = assumed.size > 0;
    // The append checks the revisions that it expects.
    for (const { stream, expected } of pending) if (assumed.get(stream) === expected) assumed.delete(stream);
    return (await isCurrent(store, assumed)) ? { result, pending, hasAssumed } : decideOnce(false);
  }

  for (let attempt = 1; ; attempt += 1) {
    const { result, pending, hasAssumed } = await decideOnce(attempt === 1);
    if (pending.length === 0) return { result, position: null };
    const writes = pending.filter((write) => !isAppended(appended, write));
    try {
      if (writes.length === 0) return { result, position: await store.head() };
      const { position } = await store.append(withProjectGuard(ctx, writes), metadataOf(ctx));
      return { result, position };
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
      if (isProjectClosed(ctx, error)) reject('PROJECT_NOT_FOUND', { project_id: ctx.projectId });
      if (attempt === maxAttempts) throw error;
      for (const write of writes)
        if (error.left.includes(write.stream) && !write.isGuard) appended.set(write.stream, write);
    }
    if (hasAssumed) continue;
    // Without the jitter, equal writers would starve each other.
    await new Promise((resume) => setTimeout(resume, Math.random() * firstPauseMs * 2 ** attempt));
  }
}

/** Runs `decide` as `transact` does but appends nothing: rejects what the command would reject. */
export function dryRun<T>(deps: UnitOfWorkDeps, ctx: Context, decide: (work: UnitOfWork) => Promise<T>): Promise<T> {
  const attempt: Attempt = { pending: [], appended: new Map(), assumed: null, commandTypes: new Set() };
  return decide(createUnitOfWork(deps, ctx, attempt));
}

async function isCurrent(store: EventStore, assumed: Assumed): Promise<boolean> {
  if (assumed.size === 0) return true;
  const revisions = await store.revisionsOf([...assumed.keys()]);
  return [...assumed].every(([stream, revision]) => revisions.get(stream) === revision);
}

/** Adds a write without events: the append conflicts if the project was deleted (docs/decisions/0037). */
function withProjectGuard({ projectId }: Context, writes: readonly Write[]): readonly Write[] {
  const stream = streamOf.projectClosure(projectId);
  const isExempt = projectId === internalProjectId || writes.some((write) => write.stream === stream);
  return isExempt ? writes : [...writes, { stream, expected: NO_STREAM, events: [] }];
}

const isProjectClosed = ({ projectId }: Context, { stream }: ConcurrencyError) =>
  stream === streamOf.projectClosure(projectId);

function metadataOf({ projectId, actor, requestId, cause, ...ctx }: Context): NewMetadata {
  const { correlationId = requestId, eventId: causationId = null } = cause ?? {};
  const { sessionId = null, origin = null } = ctx;
  return { projectId, actor, requestId, correlationId, causationId, sessionId, origin };
}

/** @throws ConcurrencyError when the command now decides differently: what it has appended stays in the log */
function isAppended(appended: AppendedWrites, { stream, events }: PendingWrite): boolean {
  const before = appended.get(stream);
  if (before && !isDeepStrictEqual(before.events, events)) throw new ConcurrencyError(stream, [...appended.keys()]);
  return before !== undefined;
}

/**
 * Comes last: a prefix without this event can be decided again, but this event alone would record a write that never
 * happened.
 * @throws DomainError RESPONSE_LOST when another request with the same idempotency key came first
 */
async function recordDecision(work: UnitOfWork, at: string): Promise<void> {
  const { idempotencyHash = null, requestId } = work.ctx;
  if (idempotencyHash === null) return;
  const request = await work.load(requestDecider, streamOf.request(idempotencyHash));
  request.decide({ type: 'RecordDecision', requestId, at });
}

/** Runs one command on one stream. */
export async function execute<S, C extends Command, E extends DomainEvent>(
  deps: UnitOfWorkDeps,
  ctx: Context,
  decider: Decider<S, C, E>,
  stream: string,
  command: C,
): Promise<{ position: bigint | null }> {
  const { position } = await transact(deps, ctx, async ({ load }) => {
    (await load(decider, stream)).decide(command);
  });
  return { position };
}

function createUnitOfWork(
  deps: UnitOfWorkDeps,
  ctx: Context,
  { pending, appended, assumed, commandTypes }: Attempt,
): UnitOfWork {
  function createAggregate<S, C extends Command, E extends DomainEvent>(
    decider: Decider<S, C, E>,
    stream: string,
    start: { state: S; revision: bigint },
  ): LoadedAggregate<S, C> {
    let { state } = start;
    let write: PendingWrite | undefined;
    function decide(command: C): void {
      commandTypes.add(command.type);
      const events = decider.decide(command, state);
      if (events.length === 0) return;
      if (!write) {
        write = { stream, expected: start.revision, events: [], isGuard: false };
        pending.push(write);
      }
      write.events.push(...events);
      state = events.reduce(decider.evolve, state);
    }
    return {
      get state() {
        return state;
      },
      get revision() {
        return start.revision + BigInt(write?.events.length ?? 0);
      },
      decide,
      guard: (command) => {
        decide(command);
        if (write) write.isGuard = true;
      },
    };
  }

  return {
    deps,
    ctx,
    load: async <S, C extends Command, E extends DomainEvent>(decider: Decider<S, C, E>, stream: string) => {
      const ignored = appended.get(stream);
      if (ignored)
        return createAggregate(decider, stream, await readStateWithout(deps.store, decider, stream, ignored));
      const found = await deps.store.foldStream(stream, decider, { isOptimistic: assumed !== null });
      // Of a stream that is loaded twice, the first revision must be current too.
      if (!found.isConfirmed && !assumed?.has(stream)) assumed?.set(stream, found.revision);
      return createAggregate(decider, stream, found);
    },
    hasAppended: (stream) => appended.has(stream),
    create: (decider, stream) => createAggregate(decider, stream, { state: decider.initialState, revision: NO_STREAM }),
  };
}

/** Reads the current state of a stream outside a unit of work. */
export function readState<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
): Promise<{ state: S; revision: bigint }> {
  return store.foldStream(stream, decider);
}

/** State and revision as if the events of `ignored` had not been appended. */
async function readStateWithout<S, C, E extends DomainEvent>(
  store: EventStore,
  decider: Decider<S, C, E>,
  stream: string,
  ignored: Write,
): Promise<{ state: S; revision: bigint }> {
  const count = BigInt(ignored.events.length);
  const isIgnored = (revision: bigint) => revision > ignored.expected && revision <= ignored.expected + count;
  const { state, revision } = await store.foldStream(stream, decider, { isIgnored });
  return { state, revision: revision - count };
}
