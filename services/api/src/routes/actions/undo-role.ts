import type { Action } from '@gatebook/commands/undo/undo-action';
import { type AuditCategory, auditTypeOf } from '@gatebook/domain/audit/audit-types';
import { type ProjectRole, strictestRole } from '@gatebook/domain/project/roles';
import type { Caller } from '../../caller.ts';
import { requireRole } from '../../roles.ts';

const roleByEvent: Readonly<Record<string, ProjectRole>> = {
  // Brings an address to sign in with back, or takes it away.
  ContactChannelAdded: 'developer',
  ContactChannelValueChanged: 'developer',
  ContactChannelRemoved: 'developer',
  PrimaryChannelChanged: 'developer',
  // Deletes again what was restored.
  UserDeletionCanceled: 'developer',
  TeamDeletionCanceled: 'developer',
  // The member comes back with their permissions.
  TeamMemberRemoved: 'developer',
  ProjectOwnerAdded: 'owner',
  ProjectOwnerRemoved: 'owner',
  ProjectMemberRoleChanged: 'owner',
  ProjectMemberRemoved: 'owner',
  ProjectDeletionScheduled: 'owner',
  ProjectDeletionCanceled: 'owner',
};
const undoneBySupport: readonly (AuditCategory | undefined)[] = ['user', 'session', 'team', 'internal'];

const roleToUndo = ({ events }: Action): ProjectRole =>
  strictestRole(
    events.map(({ type }) => {
      const isOfSupport = undoneBySupport.includes(auditTypeOf(type)?.category);
      return roleByEvent[type] ?? (isOfSupport ? 'support' : 'developer');
    }),
  );

/** An action is undone by those who may do what the undo does. @throws DomainError PROJECT_ROLE_REQUIRED */
export const requireRoleToUndo = (caller: Pick<Caller, 'owner'>, action: Action): void =>
  requireRole(caller, roleToUndo(action));
