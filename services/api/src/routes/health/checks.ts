import { VersionAnswer, VersionCheck } from '@gatebook/contract/health';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../deps.ts';
import { protocolVersion } from '../../http/client-version.ts';

const tags = ['Health'];

/** Dashboards of the protocol ask whether they are up to date (projects.md §10). */
export const checkVersionRoute =
  (_deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/check-version', {
      schema: {
        tags,
        summary: 'Compare a client’s version',
        description: 'As dashboards of the protocol ask.',
        body: VersionCheck,
        response: { 200: VersionAnswer },
      },
      handler: async (request) => compareVersion(request.body.clientVersion),
    });
  };

export function compareVersion(text: string): VersionAnswer {
  const { major, minor, patch } = protocolVersion;
  const ours = `${major}.${minor}.${patch}`;
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text) ?? [];
  if (numbers.length === 0) return { upToDate: false, error: `${text} is not a version.`, severe: true };
  const [theirMajor, theirMinor, theirPatch] = numbers.map(Number);
  const severe = theirMajor !== major || theirMinor !== minor;
  if (!severe && theirPatch === patch) return { upToDate: true };
  return { upToDate: false, error: `The client has version ${text}, the server ${ours}.`, severe };
}

/** Clients throw this text as an error (protocol, conventions §1). */
export const checkFeatureSupportRoute =
  (_deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/check-feature-support', {
      schema: {
        tags,
        summary: 'Say that a feature is not supported',
        description: 'Clients show the text to the developer.',
        body: z.unknown(),
        response: { 200: { content: { 'text/plain': { schema: z.string() } } } },
      },
      handler: async ({ body }, reply) => {
        const named =
          typeof body === 'object' && body !== null && 'feature_name' in body && typeof body.feature_name === 'string'
            ? `The feature ${body.feature_name}`
            : 'This feature';
        const text = `${named} is not supported by this server. Ask the people who run it.`;
        return reply.type('text/plain; charset=utf-8').send(text);
      },
    });
  };
