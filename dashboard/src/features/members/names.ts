import type { ProjectMember, ProjectRole } from '@gatebook/js/admin';
import { roleLabels } from '../../lib/role.ts';
import { userName } from '../../lib/user-name.ts';

export const memberName = (member: ProjectMember): string => userName({ ...member, isAnonymous: false });

export const roleOptions = (Object.keys(roleLabels) as ProjectRole[]).map((value) => ({
  value,
  label: roleLabels[value],
}));
