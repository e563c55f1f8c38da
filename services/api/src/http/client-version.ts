import type { FastifyRequest } from 'fastify';
import { stackHeader } from './conventions.ts';

/** The version of the protocol's reference server that this server is compatible with. */
export const protocolVersion = { major: 2, minor: 8, patch: 15 } as const;

/**
 * Whether a client library is newer than the reference version. All other clients get exactly the keys of that version.
 */
export const isNewerClient = (request: FastifyRequest): boolean => distance(request) > 0;

/** Whether a client library is older than the reference version. Such libraries administer projects at other paths. */
export const isOlderClient = (request: FastifyRequest): boolean => distance(request) < 0;

/** Whether the client is a published library of the protocol, not ours. It only sends what the protocol describes. */
export function isPublishedClient(request: FastifyRequest): boolean {
  const version = stackHeader(request, 'client-version') ?? '';
  return libraryVersion.test(version) && !isOwnClient(request);
}

/** Whether the client is our own library, which knows what Gatebook adds. */
export const isOwnClient = (request: FastifyRequest): boolean =>
  (stackHeader(request, 'client-version') ?? '').includes('@gatebook/');

const libraryVersion = /^\w+ @\w[\w-]*\/\w[\w-]*@(\d+)\.(\d+)\.(\d+)$/;

/** Positive for a newer client library, negative for an older one, 0 for clients without a version. */
function distance(request: FastifyRequest): number {
  const [, major, minor, patch] = libraryVersion.exec(stackHeader(request, 'client-version') ?? '') ?? [];
  if (patch === undefined) return 0;
  const differences = [
    Number(major) - protocolVersion.major,
    Number(minor) - protocolVersion.minor,
    Number(patch) - protocolVersion.patch,
  ];
  return differences.find((difference) => difference !== 0) ?? 0;
}
