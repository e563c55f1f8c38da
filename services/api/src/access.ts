import { refuse } from '@gatebook/domain/errors';
import type { FastifyRequest } from 'fastify';
import type { Caller, CurrentUser } from './caller.ts';

export const accessTypes = ['client', 'server', 'admin'] as const;
export type AccessType = (typeof accessTypes)[number];

/** Access types a route is open to, always in the order client, server, admin; `anyone` needs no caller at all. */
export type Access = 'anyone' | readonly AccessType[];

export const clientAndUp: Access = accessTypes;
export const serverAndUp: Access = ['server', 'admin'];
export const adminOnly: Access = ['admin'];

/** @throws DomainError ACCESS_TYPE_REQUIRED, INSUFFICIENT_ACCESS_TYPE */
export function checkAccess(access: Access, caller: Caller | null): void {
  if (access === 'anyone') return;
  if (!caller) refuse('ACCESS_TYPE_REQUIRED');
  if (!access.includes(caller.accessType)) {
    refuse('INSUFFICIENT_ACCESS_TYPE', { actual_access_type: caller.accessType, allowed_access_types: access });
  }
}

/** The caller of a route that is not open to anyone. */
export function callerOf(request: FastifyRequest): Caller {
  return request.caller ?? refuse('ACCESS_TYPE_REQUIRED');
}

/** @throws DomainError CANNOT_GET_OWN_USER_WITHOUT_USER when nobody is signed in */
export function ownUser(caller: Caller): CurrentUser {
  return caller.user ?? refuse('CANNOT_GET_OWN_USER_WITHOUT_USER');
}

/** Whoever is signed in anonymously keeps that id when they sign up (protocol, auth §6). */
export function anonymousIdOf({ user }: Caller): string | null {
  return user?.isAnonymous ? user.id : null;
}

/** Client access acts on the signed-in user only. @throws DomainError ACTS_ON_ANOTHER_USER, or that nobody is signed in */
export function mayActOn(caller: Caller, userId: string): void {
  if (caller.accessType === 'client' && ownUser(caller).id !== userId) refuse('ACTS_ON_ANOTHER_USER');
}

/**
 * Owned projects are created and listed through project `internal`. Anonymous users are rejected like absent ones
 * (protocol, projects §2). @throws DomainError USER_AUTHENTICATION_REQUIRED, EXPECTED_INTERNAL_PROJECT
 */
export function signedInOwner(caller: Caller): CurrentUser {
  const { user } = caller;
  if (!user || user.isAnonymous) return refuse('USER_AUTHENTICATION_REQUIRED');
  if (caller.projectId !== 'internal') refuse('EXPECTED_INTERNAL_PROJECT');
  return user;
}

/** Operators are the owners of `internal`, or who holds its admin key. @throws DomainError EXPECTED_INTERNAL_PROJECT */
export function mayOperate(caller: Caller): void {
  if (caller.projectId !== 'internal') refuse('EXPECTED_INTERNAL_PROJECT');
}
