import { asOfField, asOfHeaders, moment } from '@gatebook/contract/as-of';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { AskedMoment, ProjectMoment } from '@gatebook/readmodel/past/moments';
import { findProject } from '@gatebook/readmodel/projects/queries';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { serverAndUp } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { isApiPath } from './conventions.ts';
import { addStep } from './steps.ts';
import { rejectRequest } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The moment that the request asks for; null for the present. */
    asOf: AskedMoment | null;
    /** The moment that the response shows; null for the present. */
    shownMoment: ProjectMoment | null;
  }
}

/** Errors of every route that can show the past. */
export const asOfErrors: readonly DomainErrorCode[] = [
  'AS_OF_IN_FUTURE',
  'AS_OF_BEFORE_PROJECT',
  'AS_OF_DISABLED',
  'AS_OF_NOT_READY',
  'AUDIT_EVENT_NOT_FOUND',
];

/**
 * Takes `as_of` out of the query. Every route rejects it unless it can show the past, also a route that ignores unknown
 * fields: a caller must not take the present for the past, and a write with a moment is a mistake.
 * @throws DomainError SCHEMA_ERROR, INSUFFICIENT_ACCESS_TYPE
 */
export function readMoments(app: FastifyInstance): void {
  app.decorateRequest('asOf', null);
  app.decorateRequest('shownMoment', null);
  addStep(app, 'preHandler', (request, _reply, { config }) => {
    const query = request.query as Record<string, unknown> | undefined;
    if (!query || !Object.hasOwn(query, 'as_of') || !isApiPath(request.url)) return;
    const { as_of, ...others } = query;
    if (!config.asOf) rejectRequest(request, ['query.as_of: this endpoint can’t show the past']);
    const accessType = request.caller?.accessType;
    if (accessType === 'client') {
      reject('INSUFFICIENT_ACCESS_TYPE', { actual_access_type: accessType, allowed_access_types: serverAndUp });
    }
    const parsed = moment.safeParse(as_of);
    if (!parsed.success) {
      return rejectRequest(request, [`query.as_of: ${parsed.error.issues[0]?.message}`]);
    }
    request.asOf = toAsked(parsed.data);
    request.query = others;
  });
}

export const toAsked = (text: string): AskedMoment =>
  /^\d+$/.test(text) ? { millis: Number(text) } : { eventId: text };

/** The query of a route that can show the past, as callers see it. */
export function withMoment(query: unknown): z.ZodType {
  if (query instanceof z.ZodObject) return query.extend(asOfField);
  return query instanceof z.ZodType ? z.intersection(query, z.object(asOfField)) : z.object(asOfField);
}

/** The past of a project at a moment. `project`: its configuration then. */
export type Past = { db: ReadDb; project: Caller['project']; moment: ProjectMoment };

/**
 * Today's rights decide who may ask, so the caller was identified before.
 * @throws DomainError with one of `asOfErrors`
 */
export async function openPast(deps: Deps, caller: Caller, asked: AskedMoment, reply: FastifyReply): Promise<Past> {
  const { past } = deps;
  if (!past) return reject('AS_OF_DISABLED');
  const now = Date.parse(deps.now());
  if ('millis' in asked && asked.millis > now) reject('AS_OF_IN_FUTURE', { now_millis: now });
  const found = await past.moments.find(caller.projectId, asked);
  if (found.outcome === 'unknown-event') return reject('AUDIT_EVENT_NOT_FOUND');
  if (found.outcome === 'before-project') {
    return reject('AS_OF_BEFORE_PROJECT', { created_at_millis: found.createdAt ?? caller.project.createdAt });
  }
  if (found.outcome === 'not-ready') {
    reply.header('retry-after', '1');
    return reject('AS_OF_NOT_READY');
  }
  const { moment } = found;
  const db = past.at(moment);
  return { db, project: await findProject(db, caller.projectId), moment };
}

/** Lets a route read the past without knowing it: its caller has the project of then. @returns what it reads */
export async function movedToPast(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  omitted: readonly string[] = [],
): Promise<Deps> {
  const { asOf, caller } = request;
  if (!asOf || !caller) return deps;
  const { db, project, moment } = await openPast(deps, caller, asOf, reply);
  reply.header(asOfHeaders.eventId, moment.eventId).header(asOfHeaders.millis, String(moment.millis));
  if (omitted.length > 0) reply.header(asOfHeaders.omitted, omitted.join(', '));
  // Views read the project of the request's caller too.
  request.caller = { ...caller, project };
  request.shownMoment = moment;
  return { ...deps, db };
}
