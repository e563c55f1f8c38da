import type { z } from 'zod';

/** Who caused an event. `system` is Gatebook itself: seeding, rollovers, repairs. */
export type Actor = {
  kind: 'user' | 'client' | 'server' | 'admin' | 'owner' | 'system';
  /** Of the user, of the owner, or of the project key. */
  id: string | null;
  /** Who acts for the user, in a session that was started for that. */
  impersonator?: Impersonator;
};

/** An owner of the project, or a server or administrator with a project key; `id` is the owner's or the key's. */
export type Impersonator = { kind: 'server' | 'admin' | 'owner'; id: string | null };

/** Carried by every event beside its data, the same for all events of a command. An event's time is part of its data. */
export type Metadata = {
  projectId: string;
  actor: Actor;
  requestId: string;
  correlationId: string;
  causationId: string | null;
};

/** `data` holds whole facts as JSON; personal fields that were erased read as null. */
export type DomainEvent<Type extends string = string, Data = Record<string, unknown>> = { type: Type; data: Data };

/** An event as the log gives it back. `position` orders the whole log, `revision` (from 0) its stream. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  id: string;
  stream: string;
  revision: bigint;
  position: bigint;
  metadata: Metadata;
};

/** Upcasts the data of one version to the next; must be pure. */
export type Upcast = (data: Record<string, unknown>) => Record<string, unknown>;

export type EventDefinition<Schema extends z.ZodObject = z.ZodObject> = {
  version: number;
  data: Schema;
  /** Fields encrypted under the key of the subject whose id stands in `data[subject]`; they must be nullable. */
  personal?: {
    subject: Extract<keyof z.infer<Schema>, string>;
    fields: readonly Extract<keyof z.infer<Schema>, string>[];
    /** Holds the keyed hash of the address that the event tells, where the subject is no user: erased with that address. */
    addressRef?: Extract<keyof z.infer<Schema>, string>;
  };
  /** `upcast[n]` lifts version n to n + 1. */
  upcast?: Readonly<Record<number, Upcast>>;
};

export type EventDefinitions = Readonly<Record<string, EventDefinition>>;

/** Keeps the literal types, so that `EventOf` can build the union. */
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
