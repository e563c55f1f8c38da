import { recordBasis } from '@gatebook/commands/basis';
import type { Context } from '@gatebook/commands/deps';
import { streamOf } from '@gatebook/commands/streams';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Caller } from '../caller.ts';
import { contextOf } from '../context.ts';
import type { Deps } from '../deps.ts';
import { textLanguageOf } from './accept-language.ts';
import { movedToPast } from './as-of.ts';
import { bodySizes } from './body.ts';
import { isOlderClient, isPublishedClient } from './client-version.ts';
import { AuditedRead, Redirect, type Route, urlOf, type Written } from './define-route.ts';
import { answerPreview, writeModeOf } from './previews.ts';
import { waitFor } from './read-your-writes.ts';
import { serializeForCaller } from './serializers.ts';
import type { TextLanguage } from './text-language.ts';
import { answerOtherMethod } from './unknown-paths.ts';

export function registerRoutes(app: FastifyInstance, deps: Deps, routes: readonly Route[]): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: urlOf(route),
      config: route,
      schema: schemaOf(route),
      bodyLimit: bodySizes[route.bodySize ?? 'small'],
      ...(route.isForOlderClients && { onRequest: rejectOtherClients }),
      preSerialization: serializeForCaller(route.response ?? {}),
      handler: createHandler(deps, route),
    });
  }
}

async function rejectOtherClients(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  return isOlderClient(request) ? undefined : answerOtherMethod(request, reply);
}

/** Without fields that are undefined: Fastify takes a field as a schema even then. */
function schemaOf(route: Route): FastifySchema {
  const { tags, summary, description, params, query: querystring, body, headers, consumes, response } = route;
  const hide = route.isForOlderClients;
  const fields = { tags, summary, description, hide, params, querystring, body, headers, consumes, response };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function createHandler(deps: Deps, route: Route) {
  const [status = '200'] = Object.keys(route.response ?? {});
  const isRead = route.method === 'GET';
  const { access, isAudited, writesNothing } = route;
  /** Sign-ins at a provider are decided in a GET of the browser. */
  const decides = !writesNothing && (!isRead || isAudited || access === 'anyone');

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { params, query, body } = request;
    reply.code(Number(status));
    const mode = isRead ? null : writeModeOf(deps, request);
    const past = request.asOf === null ? null : await movedToPast(deps, request, reply, route.asOf);
    const { caller } = request;
    const given = past ?? mode?.deps ?? deps;
    const result = await route.handle({
      // Not for reads, because the copy takes longer than most of them.
      deps: decides ? withBasis(given, caller) : given,
      request,
      reply,
      // Checked before: only routes that are open to anyone get here without a caller.
      caller: caller as Caller,
      get context() {
        return (caller && contextOf(request, caller)) as Context;
      },
      language: route.isTranslated ? nameLanguage(request, reply) : 'en',
      params,
      query,
      body,
    });
    mode?.complete();
    if (request.preview !== null) return answerPreview(reply, result as Written<unknown>);
    if (result instanceof Redirect) {
      await waitFor(deps, reply, result.position);
      return reply.code(result.status).header('location', result.location).send(result.body);
    }
    if (result === reply) return result;
    if (isRead && !(result instanceof AuditedRead)) return result;
    return answerWrite(deps, reply, result as Written<unknown>);
  };
}

/** Appends record the streams that they were decided on, among them the project of the caller. */
function withBasis(deps: Deps, caller: Caller | null): Deps {
  const known = caller ? { [streamOf.project(caller.projectId)]: caller.project.revision } : {};
  return { ...deps, store: recordBasis(deps.store, known) };
}

/**
 * Sets the language of the response: English for published libraries. `answerErrors` replaces it, because most errors
 * are in English.
 */
function nameLanguage(request: FastifyRequest, reply: FastifyReply): TextLanguage {
  const language = isPublishedClient(request) ? 'en' : textLanguageOf(request.headers['accept-language']);
  reply.headers({ 'content-language': language, vary: 'accept-language' });
  return language;
}

async function answerWrite(
  deps: Deps,
  reply: FastifyReply,
  { position, body, stale, followUp }: Written<unknown>,
): Promise<unknown> {
  const state = await waitFor(deps, reply, position);
  if (followUp) await waitFor(deps, reply, await followUp());
  if (state === 'behind' && stale) return stale();
  return typeof body === 'function' ? body() : body;
}
