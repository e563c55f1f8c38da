import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isApiPath } from './conventions.ts';
import { errorsByStatus } from './declared-errors.ts';
import { isLimitedWrite } from './rate-limits.ts';

const key = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const;
const onceHeader = {
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'A text of your own for this very write: sent again within 24 hours, it gets the first answer again and nothing is done twice',
  },
};
const plain = { 'text/plain': { schema: { type: 'string' } } };
const rejected = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } }, ...plain },
});
const anyRejection = rejected(
  'A known error, whose code stands in the header `x-stack-known-error` too, or one plain sentence',
);
const tooMany = { description: 'Too many requests; `retry-after` says for how many seconds to wait', content: plain };

/** The OpenAPI 3.1 document: made from the schemas that validate requests and serialise answers. */
export async function describeApi(app: FastifyInstance, { url, version }: { url: string; version: string }) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatebook',
        version,
        description:
          'Sign-in, users, sessions and project administration. Say who is calling by the headers `x-stack-access-type`, `x-stack-project-id` and the key of that access type.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url }],
      tags: [
        {
          name: 'Sign-in',
          description:
            'Ways in: passwords, mailed codes, passkeys, second factors, and new access tokens for a session.',
        },
        {
          name: 'OAuth',
          description:
            'Signing in through providers, and acting at them for a person. The first steps are for browsers.',
        },
        { name: 'Command line', description: 'Letting a terminal in from the browser.' },
        { name: 'Contact channels', description: 'Addresses of users, and whether they are theirs.' },
        { name: 'Sessions', description: 'Who is signed in where, signing out, sessions made by servers.' },
        { name: 'Users', description: 'The signed-in user, and all users for servers.' },
        { name: 'Teams', description: 'Teams, their members, and invitations to them.' },
        { name: 'Permissions', description: 'What may be granted to members and users, and to whom it was.' },
        { name: 'API keys', description: 'Keys of users and teams, by which an app’s own callers are known.' },
        { name: 'Projects', description: 'Projects with their configuration, for their owners.' },
        { name: 'Project keys', description: 'Keys by which clients, servers and administrators call.' },
        {
          name: 'E-mails',
          description: 'The wording of mails, the server they leave through, and what became of them.',
        },
        { name: 'Operations', description: 'Figures, histories, and how the log’s subscriptions are doing.' },
        { name: 'Set-up', description: 'The first owner.' },
        { name: 'Health', description: 'Whether everything works, and which version answers.' },
      ],
      components: {
        securitySchemes: {
          accessType: key('x-stack-access-type', '`client`, `server` or `admin`'),
          project: key('x-stack-project-id', 'Id of the project'),
          client: key('x-stack-publishable-client-key', 'Key for access type client'),
          server: key('x-stack-secret-server-key', 'Key for access type server'),
          admin: key('x-stack-super-secret-admin-key', 'Key for access type admin'),
          owner: key('x-stack-admin-access-token', 'Access token of an owner, instead of a key'),
          user: key('x-stack-access-token', 'Access token of the signed-in user'),
        },
      },
    },
    transform: (route) => {
      const config = route.route.config ?? {};
      const { access, needsUser, limit } = config;
      const { schema, url: path } = jsonSchemaTransform({ ...route, schema: asDescribed(route) });
      if (!schema || schema.hide) return { schema, url: path };
      const keys = access === undefined || access === 'anyone' ? [] : [...access, 'owner'];
      const always = { accessType: [], project: [], ...(needsUser ? { user: [] } : {}) };
      const security = keys.map((name): Record<string, string[]> => ({ ...always, [name]: [] }));
      const isClientWrite = keys.includes('client') && isLimitedWrite(String(route.route.method), path);
      const rejections = errorsByStatus(config);
      const response = {
        ...(schema.response as object),
        ...Object.fromEntries(
          [...rejections].map(([status, words]) => [status, rejected(words.map((word) => `- ${word}`).join('\n'))]),
        ),
        ...(limit || isClientWrite ? { 429: tooMany } : {}),
        ...(isApiPath(path) ? { '4XX': anyRejection } : {}),
      };
      const isWrite = isApiPath(path) && route.route.method !== 'GET';
      const headers = isWrite ? { headers: withOnceHeader(schema.headers as HeaderSchema) } : {};
      return { schema: { ...schema, response, security, ...headers }, url: path };
    },
    transformObject: jsonSchemaTransformObject,
  });
}

/** The schema of a route as callers have to know it. */
function asDescribed({ schema, route }: Pick<Parameters<typeof jsonSchemaTransform>[0], 'schema' | 'route'>) {
  const { bodyFor, isQueryIgnored } = route.config ?? {};
  const { querystring, ...rest } = schema ?? {};
  const described = isQueryIgnored || querystring === undefined ? rest : { ...rest, querystring };
  if (!bodyFor?.client || !(schema?.body instanceof z.ZodType)) return described;
  const body = z.union([schema.body, bodyFor.client]).meta({ description: 'the second from client access' });
  return { ...described, body };
}

type HeaderSchema = { properties?: object; required?: readonly string[] } | undefined;
const withOnceHeader = (headers: HeaderSchema) => ({
  ...{ type: 'object', ...headers },
  properties: { ...headers?.properties, ...onceHeader },
});
