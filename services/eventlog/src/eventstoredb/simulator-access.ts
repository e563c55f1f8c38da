import { Metadata, status } from '@grpc/grpc-js';
import type { ProposedEvent } from './simulator-log.ts';

export type SimulatorUser = { password: string; mayReadAll: boolean };

function errorOf(code: status, details: string, exception: string) {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  return { code, details, metadata };
}

/** The error for a caller without the right; undefined if the call is allowed. */
export function findDenial(
  users: Readonly<Record<string, SimulatorUser>> | null,
  call: Metadata,
  { readsAll = false } = {},
) {
  if (users === null) return undefined;
  const [, encoded = ''] = String(call.get('authorization')[0] ?? '').split(' ');
  const [name = '', password] = Buffer.from(encoded, 'base64').toString().split(':');
  const user = users[name];
  if (!user || user.password !== password)
    return errorOf(status.UNAUTHENTICATED, 'Unauthenticated', 'not-authenticated');
  if (readsAll && !user.mayReadAll) return errorOf(status.PERMISSION_DENIED, 'Access Denied', 'access-denied');
  return undefined;
}

/** Counted as the server does. */
export const sizeOf = (events: readonly ProposedEvent[]): number =>
  events.reduce((bytes, { type, data, metadata }) => bytes + 2 * type.length + data.length + metadata.length, 0);

export function tooLarge(maxBytes: number) {
  const details = `Maximum Append Size of ${maxBytes} Exceeded.`;
  const error = errorOf(status.INVALID_ARGUMENT, details, 'maximum-append-size-exceeded');
  error.metadata.set('maximum-append-size', String(maxBytes));
  return error;
}
