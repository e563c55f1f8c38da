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

/** `role`: null while that of the person is not known. */
type MissingRole = { role: ProjectRole | null; reason: string };

/** Why the role does not allow a control; null if it does. `needed`: absent for the role that the page needs. */
export function useMissingRole(needed?: ProjectRole): MissingRole | null {
  const role = useContext(RoleContext);
  const ofPage = useContext(NeededRoleContext);
  const least = needed ?? ofPage;
  if (role === null) return { role: null, reason: t`Your role in this project is being loaded.` };
  if (mayActAs(role, least)) return null;
  return { role: least, reason: t`Your role is ${roleLabels[role]}. This requires the role ${roleLabels[least]}.` };
}

const lowestFirst: readonly ProjectRole[] = ['read_only', 'support', 'developer', 'owner'];

/** What a page says about its disabled controls; null if there are none. `missing`: the roles that they require. */
export function missingRoleNote(role: ProjectRole | null, missing: readonly string[]): string | null {
  const least = lowestFirst.find((one) => missing.includes(one));
  if (role === null || least === undefined) return null;
  return role === 'read_only'
    ? t`You can read this page. Changing it requires the role ${roleLabels[least]}.`
    : t`Your role is ${roleLabels[role]}. Some controls of this page require the role ${roleLabels[least]}.`;
}
