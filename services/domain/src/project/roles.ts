/** Roles of members who do not own the project, each of which may do all that the ones before it may. */
export const memberRoles = ['read_only', 'support', 'developer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const projectRoles = [...memberRoles, 'owner'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** What becomes of an owner who hands the project over: a lower role, or nothing. */
export const handoverRoles = [...memberRoles, 'none'] as const;
export type HandoverRole = (typeof handoverRoles)[number];

/** Whether a role may do what requires `least`. */
export const mayActAs = (role: ProjectRole, least: ProjectRole): boolean =>
  projectRoles.indexOf(role) >= projectRoles.indexOf(least);

/**
 * What a member may do, in the project whose users own the others: who acts on users and teams there could become an
 * owner.
 */
export const roleInProject = <Role extends ProjectRole | null>(role: Role, projectId: string): Role | 'read_only' =>
  projectId === 'internal' && role === 'support' ? 'read_only' : role;

/** The role that may do more. */
export const strictestRole = (roles: readonly ProjectRole[]): ProjectRole =>
  projectRoles.findLast((role) => roles.includes(role)) ?? 'read_only';

/** As in a sentence. */
export const roleName = (role: ProjectRole): string => role.replace('_', '-');
