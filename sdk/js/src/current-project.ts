import type { ClientProjectView } from '@gatebook/contract/projects';
import type { Send } from './transport.ts';

/** What anybody may know of a project: its name, and how people sign in to it. */
export type CurrentProject = {
  id: string;
  displayName: string;
  config: {
    signUpEnabled: boolean;
    credentialEnabled: boolean;
    magicLinkEnabled: boolean;
    passkeyEnabled: boolean;
    clientTeamCreationEnabled: boolean;
    clientUserDeletionEnabled: boolean;
    allowUserApiKeys: boolean;
    allowTeamApiKeys: boolean;
    oauthProviders: readonly { id: string }[];
  };
};
export type CurrentProjectClient = { find(): Promise<CurrentProject> };

export const currentProjectClient = (send: Send): CurrentProjectClient => ({
  find: async () => {
    const { id, display_name, config } = await send<ClientProjectView>('GET', '/projects/current');
    return {
      id,
      displayName: display_name,
      config: {
        signUpEnabled: config.sign_up_enabled,
        credentialEnabled: config.credential_enabled,
        magicLinkEnabled: config.magic_link_enabled,
        passkeyEnabled: config.passkey_enabled,
        clientTeamCreationEnabled: config.client_team_creation_enabled,
        clientUserDeletionEnabled: config.client_user_deletion_enabled,
        allowUserApiKeys: config.allow_user_api_keys,
        allowTeamApiKeys: config.allow_team_api_keys,
        oauthProviders: config.enabled_oauth_providers.map((provider) => ({ id: provider.id })),
      },
    };
  },
});
