import { type AuditCategory, auditTypeOf } from '@gatebook/domain/audit/audit-types';
import { type ProjectRole, strictestRole } from '@gatebook/domain/project/roles';
import type { Action } from './undo-action.ts';

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

/** An action is undone by those who may do what the undo does. */
export const roleToUndo = ({ events }: Pick<Action, 'events'>): ProjectRole =>
  strictestRole(
    events.map(({ type }) => {
      const isOfSupport = undoneBySupport.includes(auditTypeOf(type)?.category);
      return roleByEvent[type] ?? (isOfSupport ? 'support' : 'developer');
    }),
  );
