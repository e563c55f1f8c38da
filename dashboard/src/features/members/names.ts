import type { HandoverRole, ProjectMember, ProjectRole } from '@gatebook/js/admin';
import { roleLabels } from '../../lib/role.ts';
import { userName } from '../../lib/user-name.ts';

export const memberName = (member: ProjectMember): string => userName({ ...member, isAnonymous: false });

const allRoles = Object.keys(roleLabels) as ProjectRole[];
const optionsOf = (roles: readonly ProjectRole[]) => roles.map((value) => ({ value, label: roleLabels[value] }));

/** Support of `internal` may only read, because its users and teams own the projects. */
export const rolesOf = (projectId: string): readonly ProjectRole[] =>
  allRoles.filter((role) => projectId !== 'internal' || role !== 'support');

/** `current`: also offered if the project has it no longer. */
export const roleOptions = (projectId: string, current?: ProjectRole) => {
  const roles = rolesOf(projectId);
  return optionsOf(current === undefined || roles.includes(current) ? roles : [...roles, current]);
};

/** What the sender of a transfer can become. */
export const handoverOptions = [
  { value: 'none', label: 'Leave the project' },
  ...optionsOf(allRoles).filter(({ value }) => value !== 'owner'),
] as const satisfies readonly { value: string; label: string }[];

/** In a sentence about `who`, "you" or the name of a person. */
export function roleAfter(who: string, role: HandoverRole): string {
  const verbs = who === 'you' ? { leave: 'leave', get: 'get' } : { leave: 'leaves', get: 'gets' };
  return role === 'none' ? `${who} ${verbs.leave} the project` : `${who} ${verbs.get} the role ${roleLabels[role]}`;
}
