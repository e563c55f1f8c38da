import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { withMoment } from './as-of.ts';
import { isApiPath } from './conventions.ts';
import { errorsByStatus } from './declared-errors.ts';
import { isLimitedWrite } from './rate-limits.ts';

const key = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const;
const idempotencyHeader = {
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'A unique text for this write. If the same write is sent again within 24 hours, the first response is replayed and nothing is done twice',
  },
};
const languageHeader = {
  'accept-language': {
    type: 'string',
    // That of all headers together, by default in Node.
    maxLength: 16_384,
    description: 'The language of sentences in the response, which `content-language` names: English or German',
  },
};
const plain = { 'text/plain': { schema: { type: 'string' } } };
const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } }, ...plain },
});
const anyError = errorResponse(
  'A known error, whose code is also in the header `x-stack-known-error`, or one sentence of plain text',
);
const tooManyRequests = {
  description: 'Too many requests. The header `retry-after` contains the number of seconds to wait',
  content: plain,
};

/**
 * Describes all routes that are added later, by the schemas that validate requests and serialize responses.
 * @returns a function that makes the OpenAPI 3.1 document
 */
export async function describeApi(
  app: FastifyInstance,
  { url, version }: { url: string; version: string },
): Promise<() => Promise<object>> {
  let transforms: Awaited<ReturnType<typeof loadTransforms>> | undefined;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatebook',
        version,
        description:
          'Sign-in, users, sessions and project administration. Every request names its access type, its project and a key in the headers `x-stack-access-type` and `x-stack-project-id` and in the key header of that access type.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url }],
      tags: [
        {
          name: 'Sign-in',
          description: 'Passwords, emailed codes, passkeys, second factors, and access tokens for a session.',
        },
        { name: 'OAuth', description: 'Sign-in with OAuth providers, and access tokens of connected accounts.' },
        { name: 'CLI login', description: 'Sign-in of a terminal through the browser.' },
        { name: 'Contact channels', description: 'Email addresses of users, and their verification.' },
        { name: 'Sessions', description: 'Active sessions, sign-out, and sessions started by servers.' },
        { name: 'Users', description: 'The signed-in user, and user administration for servers.' },
        { name: 'Teams', description: 'Teams, members, and invitations.' },
        {
          name: 'Permissions',
          description: 'Permission definitions, and permissions granted to users and team members.',
        },
        { name: 'API keys', description: 'API keys that an app’s users and teams use to call the app’s own API.' },
        { name: 'Project members', description: 'Who may administer a project, and what their roles allow.' },
        { name: 'Projects', description: 'Projects and their configuration, for project owners.' },
        {
          name: 'Project keys',
          description: 'Keys that clients, servers and administrators of a project authenticate with.',
        },
        { name: 'Emails', description: 'Email templates, mail servers, and delivery status.' },
        {
          name: 'Payments and analytics',
          description: 'Answers for newer clients: Gatebook has no payments and keeps no analytics events.',
        },
        { name: 'Events', description: 'What apps are told about: a feed and a live stream of public events.' },
        { name: 'Webhooks', description: 'Endpoints that are called with public events, and their deliveries.' },
        { name: 'Audit log', description: 'What happened in a project, who did it, and why.' },
        { name: 'Actions', description: 'Previews of changes, and undo.' },
        { name: 'Operations', description: 'Metrics, user history, and the status of projections and subscriptions.' },
        { name: 'Setup', description: 'Creation of the first owner.' },
        { name: 'Health', description: 'Health checks and versions.' },
      ],
      components: {
        securitySchemes: {
          accessType: key('x-stack-access-type', '`client`, `server` or `admin`'),
          project: key('x-stack-project-id', 'Project ID'),
          client: key('x-stack-publishable-client-key', 'Publishable client key, for access type `client`'),
          server: key('x-stack-secret-server-key', 'Secret server key, for access type `server`'),
          admin: key('x-stack-super-secret-admin-key', 'Super secret admin key, for access type `admin`'),
          owner: key('x-stack-admin-access-token', 'Access token of a project owner, instead of a key'),
          user: key('x-stack-access-token', 'Access token of the signed-in user'),
        },
      },
    },
    transform: (route) => {
      if (!transforms) throw new Error('the description is made by the function that describeApi returns');
      const config = route.route.config ?? {};
      const { access, needsUser, limit } = config;
      const { schema, url: path } = transforms.route({ ...route, schema: asDescribed(route) });
      if (!schema || schema.hide) return { schema, url: path };
      const keys = access === undefined || access === 'anyone' ? [] : [...access, 'owner'];
      const always = { accessType: [], project: [], ...(needsUser ? { user: [] } : {}) };
      const security = keys.map((name): Record<string, string[]> => ({ ...always, [name]: [] }));
      const isClientWrite =
        keys.includes('client') && isLimitedWrite(String(route.route.method), path) && !config.writesNothing;
      const response = {
        ...(schema.response as object),
        ...Object.fromEntries(
          [...errorsByStatus(config)].map(([status, words]) => [
            status,
            errorResponse(words.map((word) => `- ${word}`).join('\n')),
          ]),
        ),
        ...(limit || isClientWrite ? { 429: tooManyRequests } : {}),
        ...(isApiPath(path) ? { '4XX': anyError } : {}),
      };
      const isWrite = isApiPath(path) && route.route.method !== 'GET';
      const added = { ...(config.isTranslated && languageHeader), ...(isWrite && idempotencyHeader) };
      const hasAdded = Object.keys(added).length > 0;
      const headers = hasAdded ? { headers: withHeaders(schema.headers as HeaderSchema, added) } : {};
      return { schema: { ...schema, response, security, ...headers }, url: path };
    },
    transformObject: (document) => transforms?.document(document) ?? {},
  });
  return async () => {
    transforms ??= await loadTransforms();
    return app.swagger();
  };
}

/** Loaded when the document is first needed. */
async function loadTransforms() {
  const { createJsonSchemaTransform, createJsonSchemaTransformObject } = await import('fastify-type-provider-zod');
  // The default leaves out options of a union that are not converted yet, which depends on the order of imports.
  const zodToJsonConfig = { override: () => undefined };
  return {
    route: createJsonSchemaTransform({ zodToJsonConfig }),
    document: createJsonSchemaTransformObject({ zodToJsonConfig }),
  };
}

/** The schema of a route as callers see it. */
function asDescribed({ schema, route }: Pick<Parameters<typeof jsonSchemaTransform>[0], 'schema' | 'route'>) {
  const { bodyFor, isQueryIgnored, asOf } = route.config ?? {};
  const { querystring, ...rest } = schema ?? {};
  const own = isQueryIgnored ? undefined : querystring;
  const query = asOf ? withMoment(own) : own;
  const described = query === undefined ? rest : { ...rest, querystring: query };
  if (!bodyFor?.client || !(schema?.body instanceof z.ZodType)) return described;
  const body = z.union([schema.body, bodyFor.client]).meta({ description: 'the second shape for client access' });
  return { ...described, body };
}

type HeaderSchema = { properties?: object; required?: readonly string[] } | undefined;
const withHeaders = (headers: HeaderSchema, added: object) => ({
  type: 'object',
  ...headers,
  properties: { ...headers?.properties, ...added },
});
