import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { isApiPath } from './conventions.ts';

const key = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description }) as const;
const onceHeader = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A text of your own for this very write: sent again within 24 hours, it gets the first answer again and nothing is done twice',
};
const errors = {
  description: 'A known error, whose code stands in the header `x-stack-known-error` too, or one plain sentence',
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    'text/plain': { schema: { type: 'string' } },
  },
};

function withOnceHeader({ headers }: { headers?: unknown }) {
  const { properties = {}, ...rest } = (headers ?? { type: 'object' }) as { properties?: object };
  return { headers: { ...rest, properties: { ...properties, 'idempotency-key': onceHeader } } };
}

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
        { name: 'Operations', description: 'Figures, histories, and how the log’s followers are doing.' },
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
      const { schema, url: path } = jsonSchemaTransform(route);
      const { access } = route.route.config ?? {};
      if (!schema || schema.hide) return { schema, url: path };
      const keys = access === undefined || access === 'anyone' ? [] : [...access, 'owner'];
      const security = keys.map((name): Record<string, string[]> => ({ accessType: [], project: [], [name]: [] }));
      const response = isApiPath(path) ? { ...(schema.response as object), '4XX': errors } : schema.response;
      const isWrite = isApiPath(path) && route.route.method !== 'GET';
      return { schema: { ...schema, response, security, ...(isWrite ? withOnceHeader(schema) : {}) }, url: path };
    },
    transformObject: jsonSchemaTransformObject,
  });
}
