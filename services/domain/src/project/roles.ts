import { z } from 'zod';

/** Roles of the members of a project, each of which may do all that the ones before it may. */
export const projectRoles = ['read_only', 'support', 'developer', 'owner'] as const;
export const ProjectRole = z.enum(projectRoles);
export type ProjectRole = z.infer<typeof ProjectRole>;

/** A member who does not own the project. */
export const MemberRole = ProjectRole.exclude(['owner']);
export type MemberRole = z.infer<typeof MemberRole>;

/** Whether a role may do what requires `least`. */
export const mayActAs = (role: ProjectRole, least: ProjectRole): boolean =>
  projectRoles.indexOf(role) >= projectRoles.indexOf(least);

/** The role that may do more. */
export const strictestRole = (roles: readonly ProjectRole[]): ProjectRole =>
  projectRoles.findLast((role) => roles.includes(role)) ?? 'read_only';
