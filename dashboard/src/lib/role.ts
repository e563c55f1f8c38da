import { mayActAs, type ProjectRole, roleName } from '@gatebook/domain/project/roles';
import { createContext, useContext } from 'react';

/** The role of the signed-in person in the project of the page. */
export const RoleContext = createContext<ProjectRole>('owner');

/** The role that the controls of a page need, unless they name another one. */
export const NeededRoleContext = createContext<ProjectRole>('developer');

export const roleLabels: Readonly<Record<ProjectRole, string>> = {
  owner: 'Owner',
  developer: 'Developer',
  support: 'Support',
  read_only: 'Read-only',
};

export const useMayActAs = (least: ProjectRole): boolean => mayActAs(useContext(RoleContext), least);

/** Why the role does not allow a control; null if it does. `needed`: absent for the role that the page needs. */
export function useMissingRole(needed?: ProjectRole): string | null {
  const role = useContext(RoleContext);
  const ofPage = useContext(NeededRoleContext);
  const least = needed ?? ofPage;
  if (mayActAs(role, least)) return null;
  return `Your role is ${roleName(role)}. This requires the role ${roleName(least)}.`;
}
