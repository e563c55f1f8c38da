import type { ClientProjectView } from '@gatebook/contract/projects';
import type { EnabledProvider } from '../provider-names.ts';
import type { Branding } from '../public-config.ts';
import { fromWire } from './fields.ts';

/** What everyone sees of a project. */
export type Project = { readonly id: string; readonly displayName: string; readonly config: ProjectConfig };
export type ProjectConfig = {
  readonly signUpEnabled: boolean;
  readonly credentialEnabled: boolean;
  readonly magicLinkEnabled: boolean;
  readonly passkeyEnabled: boolean;
  readonly clientTeamCreationEnabled: boolean;
  readonly clientUserDeletionEnabled: boolean;
  readonly allowUserApiKeys: boolean;
  readonly allowTeamApiKeys: boolean;
  readonly oauthProviders: readonly EnabledProvider[];
  /** How many characters a password needs that a user chooses. */
  readonly minPasswordLength?: number | undefined;
  /** How sign-in pages and emails look. */
  readonly branding?: Readonly<Branding> | undefined;
};

export function toProject(view: ClientProjectView): Project {
  const { config, ...fields } = fromWire(view);
  const { enabledOauthProviders, ...switches } = config;
  return { ...fields, config: { ...switches, oauthProviders: enabledOauthProviders } };
}
