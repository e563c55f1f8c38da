import type { FastifyRequest } from 'fastify';
import { stackHeader } from './conventions.ts';

/** Version of the protocol's reference server, like which this server answers. */
export const protocolVersion = { major: 2, minor: 8, patch: 15 } as const;

/** A client library that says it is newer than the protocol's reference version; all others get exactly its keys. */
export const isNewerClient = (request: FastifyRequest): boolean => distance(request) > 0;

/** A client library from before the reference version, which administers projects by other paths. */
export const isOlderClient = (request: FastifyRequest): boolean => distance(request) < 0;

/** A client library of the protocol, which is not ours: it sends what the protocol's pages say, and no more. */
export function isPublishedClient(request: FastifyRequest): boolean {
  const version = stackHeader(request, 'client-version') ?? '';
  return libraryVersion.test(version) && !version.includes('@gatebook/');
}

const libraryVersion = /^\w+ @\w[\w-]*\/\w[\w-]*@(\d+)\.(\d+)\.(\d+)$/;

/** Above 0 for a newer client library, below 0 for an older one, 0 for one that does not say. */
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
