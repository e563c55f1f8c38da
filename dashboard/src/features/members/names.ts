import type { HandoverRole, ProjectMember, ProjectRole } from '@gatebook/js/admin';
import { roleLabels } from '../../lib/role.ts';
import { userName } from '../../lib/user-name.ts';

export const memberName = (member: ProjectMember): string => userName({ ...member, isAnonymous: false });

export const roleOptions = (Object.keys(roleLabels) as ProjectRole[]).map((value) => ({
  value,
  label: roleLabels[value],
}));

/** What the sender of a transfer can become. */
export const handoverOptions = [
  { value: 'none', label: 'Leave the project' },
  ...roleOptions.filter(({ value }) => value !== 'owner'),
] as const satisfies readonly { value: string; label: string }[];

/** In a sentence about `who`, "you" or the name of a person. */
export function roleAfter(who: string, role: HandoverRole): string {
  const verbs = who === 'you' ? { leave: 'leave', get: 'get' } : { leave: 'leaves', get: 'gets' };
  return role === 'none' ? `${who} ${verbs.leave} the project` : `${who} ${verbs.get} the role ${roleLabels[role]}`;
}
