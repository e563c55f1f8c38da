import { canonicalEmail } from '@gatebook/domain/user/email';
import { ipv6Groups } from '@gatebook/readmodel/sessions/device';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyRequest } from 'fastify';
import { stackHeader } from './conventions.ts';
import type { Per, Rule } from './limit-rules.ts';

declare const isNamed: unique symbol;
/** The name of a counted user, address or other thing; never empty. */
export type Name = string & { readonly [isNamed]: true };

/** @returns null if there is no name; then nothing is counted */
export function nameOf(value: unknown): Name | null {
  return typeof value === 'string' && value !== '' ? (value as Name) : null;
}

const names: Readonly<Record<Per, (request: FastifyRequest) => Name | null>> = {
  address: (request) => nameOf(clientNetworkOf(request)),
  email: ({ caller, body }) => {
    const email = nameOf(fieldOf(body, 'email'));
    return email && nameOf(`${caller?.projectId ?? ''} ${canonicalEmail(email)}`);
  },
  user: (request) => nameOf(userOf(request)),
  caller: ({ caller }) => nameOf(caller?.user?.id),
  session: (request) => {
    const token = nameOf(stackHeader(request, 'refresh-token') ?? fieldOf(request.body, 'refresh_token'));
    return token && nameOf(sha256(token));
  },
  passkey: ({ caller, body }) => {
    const id = nameOf(fieldOf(fieldOf(body, 'authentication_response'), 'id'));
    return id && nameOf(`${caller?.projectId ?? ''} ${id}`);
  },
  team: ({ params }) => nameOf(fieldOf(params, 'team_id')),
  project: ({ caller }) => nameOf(caller?.projectId),
};

/** @returns null if the request lacks something that the rule counts by */
export function keyOf(request: FastifyRequest, limitName: string, { per, counts, minutes }: Rule): Name | null {
  const parts = per.map((kind) => names[kind](request));
  return parts.includes(null) ? null : nameOf(JSON.stringify([limitName, per, counts, minutes, ...parts]));
}

/**
 * The signed-in user, or the user that a server names in the path or body. A client that names another user is rejected
 * later and must not be counted as that user.
 */
export function userOf({ params, body, caller }: FastifyRequest): string | null {
  const isClient = caller?.accessType === 'client';
  const named = isClient ? 'me' : (fieldOf(params, 'user_id') ?? fieldOf(body, 'user_id') ?? 'me');
  return typeof named === 'string' && named !== 'me' ? named : (caller?.user?.id ?? null);
}

export function fieldOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, name)
    ? (part as Record<string, unknown>)[name]
    : undefined;
}

/** Disconnected clients share a name, because their requests are still handled. */
export const clientNetworkOf = ({ clientAddress }: FastifyRequest) => networkOf(clientAddress ?? 'gone');

/** The first 64 bits of an IPv6 address, because clients can change the rest at will. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length);
  return ipv6Groups(address).slice(0, 4).join(':');
}
