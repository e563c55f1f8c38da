import type { BrandingView } from '@gatebook/contract/branding';
import type { ClientProjectView } from '@gatebook/contract/projects';

/** How sign-in pages and emails of a project look; null: the default. */
export type Branding = {
  logoUrl: string | null;
  /** For sign-in pages in dark mode; null: `logoUrl`. */
  darkLogoUrl: string | null;
  /** Of buttons and links, as #rrggbb. */
  accentColor: string | null;
};

/** The settings of a project that any caller may read. */
export type PublicConfig = {
  signUpEnabled: boolean;
  credentialEnabled: boolean;
  magicLinkEnabled: boolean;
  passkeyEnabled: boolean;
  clientTeamCreationEnabled: boolean;
  clientUserDeletionEnabled: boolean;
  allowUserApiKeys: boolean;
  allowTeamApiKeys: boolean;
  branding: Branding;
};

export function publicConfigFromWire(
  config: Omit<ClientProjectView['config'], 'enabled_oauth_providers'>,
): PublicConfig {
  return {
    signUpEnabled: config.sign_up_enabled,
    credentialEnabled: config.credential_enabled,
    magicLinkEnabled: config.magic_link_enabled,
    passkeyEnabled: config.passkey_enabled,
    clientTeamCreationEnabled: config.client_team_creation_enabled,
    clientUserDeletionEnabled: config.client_user_deletion_enabled,
    allowUserApiKeys: config.allow_user_api_keys,
    allowTeamApiKeys: config.allow_team_api_keys,
    branding: brandingFromWire(config.branding),
  };
}

export const brandingFromWire = (view: BrandingView | undefined): Branding => ({
  logoUrl: view?.logo_url ?? null,
  darkLogoUrl: view?.dark_logo_url ?? null,
  accentColor: view?.accent_color ?? null,
});
