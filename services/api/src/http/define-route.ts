import type { Context } from '@gatebook/commands/deps';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access, FieldRules, SessionRule } from '../access.ts';
import type { AccessType } from '../access-type.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import type { RoleRule } from '../roles.ts';
import type { BodySize } from './body.ts';
import type { LimitName } from './limit-rules.ts';
import type { liveResponse } from './server-sent-events.ts';
import type { TextLanguage } from './text-language.ts';

/** The part of a declaration that hooks read. */
export type RouteRules = {
  access: Access;
  /** By field of the body where the fields differ. The strictest rule of the fields that are sent applies. */
  session?: SessionRule | FieldRules;
  /** What members of the project need to call the route; absent: by method and access, see `roleRuleFor`. */
  role?: RoleRule;
  /** Class of rate limits. Routes of one class share their counters. */
  limit?: LimitName;
  /** Errors besides `commonErrors` and those of the session rule. Tests fail on an error that is not declared. */
  errors?: readonly DomainErrorCode[];
  /** Body schemas of single access types, where they differ from `body`. */
  bodyFor?: Partial<Record<AccessType, z.ZodType>>;
  /** Without a signed-in user the request is malformed (protocol, conventions §3.2, step 8). */
  needsUser?: boolean;
  /** `me` stands for the signed-in user in query and body fields that name a user. */
  replacesMe?: boolean;
  /** Accepts the access token of an ended session and returns its own error (protocol, rule 11). */
  ignoresEndedSession?: boolean;
  /** Owners call it also while the project awaits deletion (docs/decisions/0093). */
  opensDeletedProject?: boolean;
  /** A token of the webhooks page opens it too (docs/decisions/0098). */
  takesWebhooksToken?: boolean;
  /** The query is validated but has no effect, so the API description omits it. */
  isQueryIgnored?: boolean;
  /** Browsers navigate here from other sites (see `cross-site.ts`). */
  isNavigation?: boolean;
  /** Appends no events, so it neither counts as a write of the signed-in user nor waits for its turn to write. */
  writesNothing?: boolean;
  /** Stores no idempotency record either. */
  storesNothing?: boolean;
  /**
   * Can be previewed, and takes `If-Match`: only appends through `deps.store`, or does what previews leave out. `by
   * clients too`: its preview shows a client only what the client may read (docs/decisions/0140).
   */
  isPreviewable?: boolean | 'by clients too';
  /** Sentences of the response are in the language of `Accept-Language` (docs/decisions/0133). */
  isTranslated?: boolean;
  /** A read that accepts `as_of` from servers, with the fields of its response that the past does not know. */
  asOf?: readonly string[];
};

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteRules> {}
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Plain text; the handler sets the content type and sends it. */
export const textResponse = { content: { 'text/plain': { schema: z.string() } } } as const;
type Responses = Readonly<Record<number, z.ZodType | typeof textResponse | typeof liveResponse>>;
type BodyOf<R extends Responses> =
  | z.input<Extract<R[keyof R], z.ZodType>>
  | (typeof liveResponse extends R[keyof R] ? undefined : never);

/** The parsed request, its caller, and the context for commands. */
export type Call<A extends Access, P, Q, B> = {
  deps: Deps;
  request: FastifyRequest;
  reply: FastifyReply;
  caller: A extends 'anyone' ? Caller | null : Caller;
  context: A extends 'anyone' ? Context | null : Context;
  /** The language of sentences in the response; English unless the route is declared as `isTranslated`. */
  language: TextLanguage;
  params: P;
  query: Q;
  body: B;
};

/**
 * The result of a write. The response waits until the read models have reached `position` (null: nothing was written)
 * and then sends `body`. If they are too slow, it sends `stale` instead, or `body` if there is no `stale`.
 */
export type Written<T> = {
  position: bigint | null;
  body: T | (() => T | Promise<T>);
  stale?: () => T | Promise<T>;
  /** A second write that reads rows of the first. Returns its position, which the response waits for too. */
  followUp?: () => Promise<bigint | null>;
};

/** `{ success: true }`, once the read models have reached `position`. */
export const answerSuccess = (position: bigint | null): Written<{ success: true }> => ({
  position,
  body: { success: true },
});

/** Sends the browser elsewhere once the read models have reached `position`. */
export class Redirect {
  readonly status: 303 | 307;
  readonly location: string;
  readonly position: bigint | null;
  readonly body: object | undefined;

  constructor(status: 303 | 307, location: string, options: { position?: bigint | null; body?: object } = {}) {
    this.status = status;
    this.location = location;
    this.position = options.position ?? null;
    this.body = options.body;
  }
}

/** The result of a GET that is itself recorded; its route is declared as `isAudited`. */
export class AuditedRead<T> {
  readonly position: bigint | null;
  readonly body: () => Promise<T>;

  constructor(position: bigint | null, body: () => Promise<T>) {
    this.position = position;
    this.body = body;
  }
}

type Result<M extends Method, T> = (M extends 'GET' ? T | AuditedRead<T> : Written<T>) | Redirect | FastifyReply;

type Declaration<
  M extends Method,
  A extends Access,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
> = RouteRules & {
  method: M;
  /** Below `/api/v1`, unless `isRoot`. */
  path: string;
  isRoot?: boolean;
  access: A;
  tags?: readonly string[];
  /** Begins with a verb. */
  summary?: string;
  description?: string;
  /** Other clients get 405, and the API description omits it. */
  isForOlderClients?: boolean;
  /** A GET that is itself recorded, and returns an `AuditedRead`. */
  isAudited?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** Absent: small. A larger body is rejected before it is parsed. */
  bodySize?: BodySize;
  headers?: z.ZodType;
  /** Content types of the body besides JSON. */
  consumes?: readonly string[];
  /** By status. The lowest one is the status of a success. */
  response?: R;
  handle(call: Call<A, z.output<P>, z.output<Q>, z.output<B>>): Promise<Result<M, BodyOf<R>>>;
};

/** A write that clients may call does not compile without a session rule. */
type SessionOf<M extends Method, A extends Access> = [M, A] extends [Exclude<Method, 'GET'>, readonly AccessType[]]
  ? 'client' extends A[number]
    ? { session: SessionRule | FieldRules }
    : unknown
  : unknown;

export type Route = Declaration<Method, Access, z.ZodType, z.ZodType, z.ZodType, Responses>;

/** Everything about one route. Access, errors, limits, OpenAPI, docs and the tests' walks are derived from it. */
export const defineRoute = <
  M extends Method,
  A extends Access,
  R extends Responses,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  route: Declaration<M, A, P, Q, B, R> & SessionOf<M, A>,
): Route => route;

export const urlOf = ({ path, isRoot = false }: Pick<Route, 'path' | 'isRoot'>): string =>
  isRoot ? path : `/api/v1${path}`;

/** `GET /api/v1/users/:user_id` */
export const nameOf = (route: Pick<Route, 'method' | 'path' | 'isRoot'>): string => `${route.method} ${urlOf(route)}`;
