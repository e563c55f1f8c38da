import { parseDevice } from '@gatebook/readmodel/sessions/device';
import type { FastifyRequest } from 'fastify';
import { stackHeader } from './conventions.ts';

/** The version of the protocol's reference server that this server is compatible with. */
export const protocolVersion = { major: 2, minor: 8, patch: 15 } as const;

/**
 * Whether a client library is newer than the reference version, or ours. All other clients get exactly the keys of that
 * version.
 */
export const isNewerClient = (request: FastifyRequest): boolean =>
  isOwnClient(request) || distance(request, protocolVersion) > 0;

/** Whether a client library is older than the reference version. Such libraries administer projects at other paths. */
export const isOlderClient = (request: FastifyRequest): boolean =>
  isPublishedClient(request) && distance(request, protocolVersion) < 0;

/** Whether the client is a published library of the protocol, not ours. It only sends what the protocol describes. */
export const isPublishedClient = (request: FastifyRequest): boolean =>
  libraryVersion.test(versionOf(request)) && !isOwnClient(request);

/** Whether the client is our own library, which knows what Gatebook adds. */
export const isOwnClient = (request: FastifyRequest): boolean => versionOf(request).includes(' @gatebook/');

const libraryVersion = /^\w+ @\w[\w-]*\/\w[\w-]*@(\d+)\.(\d+)\.(\d+)$/;
const versionOf = (request: FastifyRequest): string => stackHeader(request, 'client-version') ?? '';

/** Positive for a client library newer than `version`, negative for an older one, 0 for clients without a version. */
function distance(request: FastifyRequest, version: Record<keyof typeof protocolVersion, number>): number {
  const [, major, minor, patch] = libraryVersion.exec(versionOf(request)) ?? [];
  if (patch === undefined) return 0;
  const differences = [Number(major) - version.major, Number(minor) - version.minor, Number(patch) - version.patch];
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** No library has a longer name and version. */
const maxVersionLength = 100;

/** Name and version of the client library; null for anything else (protocol, conventions §2). */
export function clientVersionOf(request: FastifyRequest): string | null {
  const version = versionOf(request);
  return version.length <= maxVersionLength && libraryVersion.test(version) ? version : null;
}

/** The name of a program such as `curl/8.5.0`. */
const program = /^(?!Mozilla\b)([A-Za-z][\w.-]{0,39})(?:[/ ]|$)/;

/** What sent the request: a client library with its version, or the name of a browser or program; null if unknown. */
export function softwareOf(request: FastifyRequest): string | null {
  const userAgent = request.headers['user-agent'] ?? '';
  return clientVersionOf(request) ?? parseDevice(userAgent).browser ?? program.exec(userAgent)?.[1] ?? null;
}

/** Libraries know `include_anonymous` and `include_restricted` since these versions, and leave such users out. */
export const anonymousLeftOutSince = 39;
export const restrictedLeftOutSince = 58;

/** Whether the client is a published library of version 2.8.`patch` or newer. */
export const isPublishedSince = (request: FastifyRequest, patch: number): boolean =>
  isPublishedClient(request) && distance(request, { ...protocolVersion, patch }) >= 0;
