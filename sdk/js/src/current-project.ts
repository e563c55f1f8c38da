import type { ClientProjectView } from '@gatebook/contract/projects';
import type { EnabledProvider } from './provider-names.ts';
import { type PublicConfig, publicConfigFromWire } from './public-config.ts';
import type { Send } from './transport.ts';
import { passwordLength } from './validation.ts';

/** A project as any caller sees it: its name and its sign-in methods. */
export type CurrentProject = {
  id: string;
  displayName: string;
  /** `minPasswordLength`: how many characters a password needs that a user chooses. */
  config: PublicConfig & { oauthProviders: readonly EnabledProvider[]; minPasswordLength: number };
};
export type CurrentProjectClient = { find(): Promise<CurrentProject> };

export const currentProjectClient = (send: Send): CurrentProjectClient => ({
  find: async () => {
    const { id, display_name, config } = await send<ClientProjectView>('GET', '/projects/current');
    return {
      id,
      displayName: display_name,
      config: {
        ...publicConfigFromWire(config),
        minPasswordLength: config.min_password_length ?? passwordLength.min,
        oauthProviders: config.enabled_oauth_providers.map(({ id, display_name }) => ({
          id,
          ...(display_name !== undefined && { displayName: display_name }),
        })),
      },
    };
  },
});
