import { reject } from '@gatebook/domain/errors';
import { projectDecider } from '@gatebook/domain/project/decide';
import type { WriteDeps } from '../deps.ts';
import { readState } from '../execute.ts';
import { streamOf } from '../streams.ts';
import type { ProviderId, ProviderKeys } from './oauth-providers.ts';

/**
 * Current keys of a project at a provider.
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, also when the server lacks the shared keys that the
 * project uses
 */
export async function readProviderKeys(
  { store, oauthProviders }: Pick<WriteDeps, 'store' | 'oauthProviders'>,
  projectId: string,
  provider: ProviderId,
): Promise<ProviderKeys> {
  const { state } = await readState(store, projectDecider, streamOf.project(projectId));
  const configured =
    state.status === 'active' ? state.config.oauthProviders.find(({ id }) => id === provider) : undefined;
  if (state.status !== 'active' || !configured) return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  const { id, type, clientId, facebookConfigId, microsoftTenantId } = configured;
  if (type === 'shared') {
    return oauthProviders.hasSharedKeys(id) ? { id, type } : reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  }
  const clientSecret = state.secrets.oauthClientSecrets[id];
  if (clientId === undefined || clientSecret === undefined) return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  return { id, type, clientId, clientSecret, facebookConfigId, microsoftTenantId };
}
