import type { ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

export type SwitchName = {
  [Key in keyof ProjectConfig]: ProjectConfig[Key] extends boolean ? Key : never;
}[keyof ProjectConfig];
export type SwitchText<Name extends SwitchName = SwitchName> = { name: Name; label: string; description: string };

export const signInSwitches = [
  {
    name: 'signUpEnabled',
    label: t`Sign-up`,
    description: t`New users can create an account. Servers can always create users.`,
  },
  { name: 'credentialEnabled', label: t`Password`, description: t`Sign in with email and password.` },
  { name: 'magicLinkEnabled', label: t`Email code`, description: t`Sign in with a code or link sent by email.` },
  { name: 'passkeyEnabled', label: t`Passkey`, description: t`Sign in with a device or security key.` },
] as const satisfies readonly SwitchText[];
export const userSwitches = [
  {
    name: 'clientUserDeletionEnabled',
    label: t`Account deletion`,
    description: t`Users can delete their own account.`,
  },
  { name: 'clientTeamCreationEnabled', label: t`Team creation`, description: t`Users can create teams.` },
  {
    name: 'createTeamOnSignUp',
    label: t`Personal team on sign-up`,
    description: t`New users get their own team, selected by default.`,
  },
  { name: 'allowUserApiKeys', label: t`User API keys`, description: t`Users can create API keys for themselves.` },
  {
    name: 'allowTeamApiKeys',
    label: t`Team API keys`,
    description: t`Members with permission to manage API keys can create them for their team.`,
  },
] as const satisfies readonly SwitchText[];

/** The fields of a draft of switches. */
export const labelsOf = <Name extends SwitchName>(switches: readonly SwitchText<Name>[]) =>
  Object.fromEntries(switches.map(({ name, label }) => [name, { label }])) as Record<Name, { label: string }>;

export const pickSwitches = <Name extends SwitchName>(switches: readonly SwitchText<Name>[], config: ProjectConfig) =>
  Object.fromEntries(switches.map(({ name }) => [name, config[name]])) as Record<Name, boolean>;
