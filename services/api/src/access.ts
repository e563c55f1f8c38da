import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { recentSignInMs } from '@gatebook/domain/session/authentication';
import type { FastifyRequest } from 'fastify';
import { type AccessType, accessTypes } from './access-type.ts';
import type { Caller, CurrentUser } from './caller.ts';

/** Access types that can call a route, in the order client, server, admin. `anyone` needs no caller. */
export type Access = 'anyone' | readonly AccessType[];

export const clientAndUp = accessTypes;
export const serverAndUp = ['server', 'admin'] as const satisfies Access;
export const adminOnly = ['admin'] as const satisfies Access;

/** @throws DomainError ACCESS_TYPE_REQUIRED, INSUFFICIENT_ACCESS_TYPE */
export function checkAccess(access: Access, caller: Caller | null): void {
  if (access === 'anyone') return;
  if (!caller) reject('ACCESS_TYPE_REQUIRED');
  if (!access.includes(caller.accessType)) {
    reject('INSUFFICIENT_ACCESS_TYPE', { actual_access_type: caller.accessType, allowed_access_types: access });
  }
}

/**
 * What a route requires of the session of the access token. `own`: not an impersonation session. `recent`: also a
 * recent sign-in, if the project requires it and the caller is a client.
 */
export type SessionRule = 'any' | 'own' | 'recent';
/** Rules by field of the body. */
export type FieldRules = Readonly<Record<string, SessionRule>>;

/** `at`: in milliseconds. @throws DomainError IMPERSONATION_NOT_ALLOWED, REAUTHENTICATION_REQUIRED */
export function checkSession(rule: SessionRule, caller: SessionUse, at: number): void {
  const { token, accessType, project } = caller;
  if (rule === 'any' || !token) return;
  if (token.impersonator) reject('IMPERSONATION_NOT_ALLOWED');
  if (rule === 'own' || accessType !== 'client' || !project.settings.reauthenticationRequired) return;
  const { isAnonymous, authenticatedAtMillis } = token;
  // Anonymous users have no way to sign in again.
  if (isAnonymous) return;
  const isRecent = authenticatedAtMillis !== null && at - authenticatedAtMillis <= recentSignInMs;
  if (!isRecent) reject('REAUTHENTICATION_REQUIRED');
}
export type SessionUse = Pick<Caller, 'token' | 'accessType' | 'project'>;

/** The caller of a route that is not open to anyone. */
export function callerOf(request: FastifyRequest): Caller {
  return request.caller ?? reject('ACCESS_TYPE_REQUIRED');
}

/** Errors of `ownUser`. */
export const ownUserErrors: readonly DomainErrorCode[] = ['CANNOT_GET_OWN_USER_WITHOUT_USER'];

/** @throws DomainError CANNOT_GET_OWN_USER_WITHOUT_USER when nobody is signed in */
export function ownUser(caller: Caller): CurrentUser {
  return caller.user ?? reject('CANNOT_GET_OWN_USER_WITHOUT_USER');
}

/**
 * Anonymous users keep their ID when they sign up (protocol, auth §6). An impersonator of an anonymous user signs up a
 * separate account: otherwise the user would get the impersonator's password.
 */
export function anonymousIdOf({ user, token }: Caller): string | null {
  return user?.isAnonymous && !token?.impersonator ? user.id : null;
}

/** Errors of `mayActOn`. */
export const actOnUserErrors: readonly DomainErrorCode[] = [
  'CANNOT_GET_OWN_USER_WITHOUT_USER',
  'OTHER_USER_NOT_ALLOWED',
];

/**
 * Client access is limited to the signed-in user.
 * @throws DomainError OTHER_USER_NOT_ALLOWED, CANNOT_GET_OWN_USER_WITHOUT_USER
 */
export function mayActOn(caller: Caller, userId: string): void {
  if (caller.accessType === 'client' && ownUser(caller).id !== userId) reject('OTHER_USER_NOT_ALLOWED');
}

/** Errors of `signedInOwner`. */
export const ownerErrors: readonly DomainErrorCode[] = ['USER_AUTHENTICATION_REQUIRED', 'EXPECTED_INTERNAL_PROJECT'];

/**
 * Owned projects are created and listed through project `internal`. Anonymous users are rejected like missing ones
 * (protocol, projects §2).
 * @throws DomainError USER_AUTHENTICATION_REQUIRED, EXPECTED_INTERNAL_PROJECT
 */
export function signedInOwner(caller: Caller): CurrentUser {
  const { user } = caller;
  if (!user || user.isAnonymous) return reject('USER_AUTHENTICATION_REQUIRED');
  if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
  return user;
}

/**
 * Operators are the owners of `internal` and callers with its admin key.
 * @throws DomainError EXPECTED_INTERNAL_PROJECT
 */
export function mayOperate(caller: Caller): void {
  if (caller.projectId !== 'internal') reject('EXPECTED_INTERNAL_PROJECT');
}
