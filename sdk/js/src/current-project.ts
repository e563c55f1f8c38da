import type { ClientProjectView } from '@gatebook/contract/projects';
import type { EnabledProvider } from './provider-names.ts';
import { type PublicConfig, publicConfigFromWire } from './public-config.ts';
import type { Send } from './transport.ts';

/** A project as any caller sees it: its name and its sign-in methods. */
export type CurrentProject = {
  id: string;
  displayName: string;
  config: PublicConfig & { oauthProviders: readonly EnabledProvider[] };
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
        oauthProviders: config.enabled_oauth_providers.map(({ id, display_name }) => ({
          id,
          ...(display_name !== undefined && { displayName: display_name }),
        })),
      },
    };
  },
});
