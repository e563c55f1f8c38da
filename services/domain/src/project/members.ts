import { reject } from '../errors.ts';
import type { ProjectEvent } from './events.ts';
import type { ProjectRole } from './roles.ts';
import type { ActiveProject } from './state.ts';

/** `hasOtherOwner`: somebody else who can act owns the project. */
type OfMember = { userId: string; hasOtherOwner: boolean; at: string };
/** Adds a user of `internal` who is not a member yet. */
type SetMemberRole = OfMember & { type: 'SetMemberRole'; role: ProjectRole };
type RemoveMember = OfMember & { type: 'RemoveMember' };
export type MemberCommand = SetMemberRole | RemoveMember;

/** The role of a direct member; null for others. */
export const roleOfMember = ({ owners, members }: ActiveProject, userId: string): ProjectRole | null =>
  owners.has(userId) ? 'owner' : (members.get(userId) ?? null);

/** Every direct member, with their role. */
export const rolesOf = ({ owners, members }: ActiveProject): ReadonlyMap<string, ProjectRole> =>
  new Map<string, ProjectRole>([...members, ...[...owners.keys()].map((userId) => [userId, 'owner'] as const)]);

/** A project keeps an owner. */
export function decideMember(command: MemberCommand, state: ActiveProject): readonly ProjectEvent[] {
  const { userId, hasOtherOwner, at } = command;
  const { projectId } = state;
  const before = roleOfMember(state, userId);
  const after = command.type === 'SetMemberRole' ? command.role : null;
  if (before === after) return [];
  if (before === 'owner' && !hasOtherOwner) return reject('LAST_PROJECT_OWNER');
  const data = { projectId, userId, at };
  if (after === 'owner') return [{ type: 'ProjectOwnerAdded', data }];
  if (after !== null) return [{ type: 'ProjectMemberRoleChanged', data: { ...data, role: after } }];
  return [before === 'owner' ? { type: 'ProjectOwnerRemoved', data } : { type: 'ProjectMemberRemoved', data }];
}
