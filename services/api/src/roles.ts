import { reject } from '@gatebook/domain/errors';
import { mayActAs, type ProjectRole, strictestRole } from '@gatebook/domain/project/roles';
import type { Access } from './access.ts';
import type { Caller } from './caller.ts';

/**
 * The role that a member of the project needs to call a route with an admin access token. `fields`: fields of the body
 * that need a higher role where they are set, so neither null nor false.
 */
export type RoleRule = ProjectRole | { least: ProjectRole; fields: Readonly<Record<string, ProjectRole>> };
export type FullRoleRule = Exclude<RoleRule, string>;

/**
 * The declared rule of a route, or the default: everybody reads; support acts on users and teams, as servers do; the
 * rest of administration needs a developer (docs/decisions/0107).
 */
export function roleRuleFor({
  method,
  access,
  role,
}: {
  method: string;
  access: Access;
  role?: RoleRule | undefined;
}): FullRoleRule {
  if (typeof role === 'object') return role;
  if (role !== undefined) return { least: role, fields: {} };
  if (method === 'GET' || method === 'HEAD' || access === 'anyone') return { least: 'read_only', fields: {} };
  const isAdminOnly = access.every((type) => type === 'admin');
  return { least: isAdminOnly ? 'developer' : 'support', fields: {} };
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false;

/** @throws DomainError PROJECT_ROLE_REQUIRED */
export function checkRole({ least, fields }: FullRoleRule, caller: Caller | null, body: unknown): void {
  if (!caller?.owner) return;
  const sent = Object.entries(body ?? {}).filter(([, value]) => isSet(value));
  requireRole(caller, strictestRole([least, ...sent.flatMap(([name]) => fields[name] ?? [])]));
}

/** Project keys act as owners. @throws DomainError PROJECT_ROLE_REQUIRED */
export function requireRole({ owner }: Pick<Caller, 'owner'>, least: ProjectRole): void {
  const role = roleOf({ owner });
  if (!mayActAs(role, least)) reject('PROJECT_ROLE_REQUIRED', { role, required_role: least });
}

/** Whether the caller may read secrets of the project. */
export const seesSecrets = (caller: Pick<Caller, 'owner'>): boolean => mayActAs(roleOf(caller), 'developer');

export const roleOf = ({ owner }: Pick<Caller, 'owner'>): ProjectRole => owner?.role ?? 'owner';
