import type { HandoverRole, ProjectMember, ProjectRole } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
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
  { value: 'none', label: t`Leave the project` },
  ...optionsOf(allRoles).filter(({ value }) => value !== 'owner'),
] as const satisfies readonly { value: string; label: string }[];

/** What becomes of the sender of a transfer, as the end of a sentence. */
export const roleAfter = {
  sender: (role: HandoverRole): string =>
    role === 'none' ? t`you leave the project` : t`you get the role ${roleLabels[role]}`,
  recipient: (role: HandoverRole): string =>
    role === 'none'
      ? t`the person who invited you leaves the project`
      : t`the person who invited you gets the role ${roleLabels[role]}`,
};
