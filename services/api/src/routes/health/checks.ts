import { VersionAnswer, VersionCheck } from '@gatebook/contract/health';
import { z } from 'zod';
import { protocolVersion } from '../../http/client-version.ts';
import { defineRoute, textResponse } from '../../http/define-route.ts';

const tags = ['Health'];

/** Dashboards of the protocol check whether they are up to date (protocol, projects §10). */
export const checkVersionRoute = defineRoute({
  method: 'POST',
  path: '/check-version',
  access: 'anyone',
  tags,
  summary: 'Check a client version',
  description: 'Asked by dashboards of the protocol.',
  body: VersionCheck,
  response: { 200: VersionAnswer },
  handle: async ({ body }) => ({ position: null, body: compareVersion(body.clientVersion) }),
});

function compareVersion(text: string): VersionAnswer {
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
export const checkFeatureSupportRoute = defineRoute({
  method: 'POST',
  path: '/check-feature-support',
  access: 'anyone',
  tags,
  summary: 'Check feature support',
  description: 'The response is text that clients show to the developer.',
  body: z.unknown(),
  response: { 200: textResponse },
  handle: async ({ reply, body }) => {
    const named =
      typeof body === 'object' && body !== null && 'feature_name' in body && typeof body.feature_name === 'string'
        ? `The feature ${body.feature_name}`
        : 'This feature';
    const text = `${named} is not supported by this server. Contact its operator.`;
    return reply.type('text/plain; charset=utf-8').send(text);
  },
});
