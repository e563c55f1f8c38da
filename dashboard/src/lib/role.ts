import { mayActAs, type ProjectRole } from '@gatebook/domain/project/roles';
import { t } from '@lingui/core/macro';
import { createContext, useContext } from 'react';

/** The role of the signed-in person in the project of the page; null until it is known. */
export const RoleContext = createContext<ProjectRole | null>('owner');

type OwnedProject = { value: { role: ProjectRole } | null | undefined; error: unknown };

/** null until it is known. If the project can't be loaded, the server alone decides what is allowed. */
export const ownRoleIn = ({ value, error }: OwnedProject): ProjectRole | null =>
  value?.role ?? (value === undefined && error !== undefined ? 'owner' : null);

/** The role that the controls of a page need, unless they name another one. */
export const NeededRoleContext = createContext<ProjectRole>('developer');

export const roleLabels: Readonly<Record<ProjectRole, string>> = {
  owner: t`Owner`,
  developer: t`Developer`,
  support: t`Support`,
  read_only: t`Read-only`,
};

export function useMayActAs(least: ProjectRole): boolean {
  const role = useContext(RoleContext);
  return role !== null && mayActAs(role, least);
}

/** Why the role does not allow a control; null if it does. `needed`: absent for the role that the page needs. */
export function useMissingRole(needed?: ProjectRole): string | null {
  const role = useContext(RoleContext);
  const ofPage = useContext(NeededRoleContext);
  const least = needed ?? ofPage;
  if (role === null) return t`Your role in this project is being loaded.`;
  if (mayActAs(role, least)) return null;
  return t`Your role is ${roleLabels[role]}. This requires the role ${roleLabels[least]}.`;
}
