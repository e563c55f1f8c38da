import type { z } from 'zod';

/**
 * Who caused an event. `system` is Gatebook itself: seeding, key rotation, repairs. `operator` is the command line on
 * the server, which has no account.
 */
export type Actor = {
  kind: 'user' | 'client' | 'server' | 'admin' | 'owner' | 'operator' | 'system';
  /** ID of the user, the owner or the project key. */
  id: string | null;
  /** The actor that started the session to act for the user. */
  impersonator?: Impersonator;
};

/** An owner of the project, or a server or admin with a project key. `id` is the owner's or the key's ID. */
export type Impersonator = { kind: 'server' | 'admin' | 'owner'; id: string | null };

/** Where a request came from. For a server with a project key, this is the server, not its end user. */
export type Origin = { ip: string | null; userAgent: string | null };

/**
 * The streams that a command read, each with the revision it had then (-1: it did not exist). Leaves out the streams
 * that the command wrote, because an append expects them at the revision that was read.
 */
export type Basis = Readonly<Record<string, number>>;

/**
 * Carried by every event beside its data, the same for all events of a command. An event's time is part of its data.
 */
export type Metadata = {
  projectId: string;
  actor: Actor;
  requestId: string;
  correlationId: string;
  /** The event that a reactor or a job responds to; null for a request. */
  causationId: string | null;
  /** The session of the user or owner who acted. */
  sessionId: string | null;
  basis: Basis;
  /** Encrypted under the key of the actor. null if the actor has no ID or was erased. */
  origin: Origin | null;
};

/** What is given on append. What is missing or empty takes no space in the log. */
export type NewMetadata = Omit<Metadata, LaterMetadata> & Partial<Pick<Metadata, LaterMetadata>>;
/** Not in the events of older releases. */
type LaterMetadata = 'sessionId' | 'basis' | 'origin';

/** `data` is JSON and complete by itself. Erased personal fields are null. */
export type DomainEvent<Type extends string = string, Data = Record<string, unknown>> = { type: Type; data: Data };

/**
 * An event as read from the log. `position` is its place in the log, `revision` (from 0) its place in its stream.
 * `committedAt` (ISO time) is the log's clock at the append; unlike the times in `data`, it comes from one clock.
 */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  id: string;
  stream: string;
  revision: bigint;
  position: bigint;
  committedAt: string;
  metadata: Metadata;
  /** Names of its large values, which are stored outside the log. Owners may be wrong if the event cannot be read. */
  blobs?: readonly { owner: string; hash: string }[];
  /** Why the event cannot be read. Then its `data` throws this error. */
  unreadable?: Error;
};

/** Upcasts data of one version to the next. Must be pure. */
export type Upcast = (data: Record<string, unknown>) => Record<string, unknown>;

export type EventDefinition<Schema extends z.ZodObject = z.ZodObject> = {
  version: number;
  data: Schema;
  /** Fields encrypted under the key of the subject whose ID is in `data[subject]`. They must be nullable. */
  personal?: {
    subject: Extract<keyof z.infer<Schema>, string>;
    fields: readonly Extract<keyof z.infer<Schema>, string>[];
    /**
     * Field with the keyed hash of an email address, set where the subject is not a user: erasing the address erases
     * the subject.
     */
    addressRef?: Extract<keyof z.infer<Schema>, string>;
  };
  /**
   * Fields that can be large, such as images. Read only where needed; `evolve` may copy them into the state but never
   * looks into them. Any other field that is large is stored outside the log too, but is always read.
   */
  large?: readonly Extract<keyof z.infer<Schema>, string>[];
  /** `upcast[n]` upcasts version n to n + 1. */
  upcast?: Readonly<Record<number, Upcast>>;
};

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** Preserves the literal types, so that `EventOf` can build the union. */
export function defineEvents<const Shapes extends Record<string, z.ZodObject>>(
  definitions: {
    readonly [Type in keyof Shapes]: EventDefinition<Shapes[Type]>;
  },
): { readonly [Type in keyof Shapes]: EventDefinition<Shapes[Type]> } {
  return definitions;
}

/** The union of a definition's events, discriminated by `type`. */
export type EventOf<Definitions> = {
  [Type in keyof Definitions & string]: Definitions[Type] extends EventDefinition<infer Schema>
    ? DomainEvent<Type, z.infer<Schema>>
    : never;
}[keyof Definitions & string];
