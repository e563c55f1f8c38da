import { reject } from '@gatebook/domain/errors';
import { projectDecider } from '@gatebook/domain/project/decide';
import type { WriteDeps } from '../deps.ts';
import { readState } from '../execute.ts';
import { streamOf } from '../streams.ts';
import type { ProviderKeys } from './oauth-providers.ts';

/**
 * Current keys of a project at a provider.
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, also when the server lacks the shared keys that the
 * project uses
 */
export async function readProviderKeys(
  { store, oauthProviders }: Pick<WriteDeps, 'store' | 'oauthProviders'>,
  projectId: string,
  provider: string,
): Promise<ProviderKeys> {
  const { state } = await readState(store, projectDecider, streamOf.project(projectId));
  const configured =
    state.status === 'active' ? state.config.oauthProviders.find(({ id }) => id === provider) : undefined;
  if (state.status !== 'active' || !configured) return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  if (configured.type === 'shared') {
    const { id, type } = configured;
    return oauthProviders.hasSharedKeys(id) ? { id, type } : reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  }
  const clientSecret = state.secrets.oauthClientSecrets[configured.id];
  const { clientId } = configured;
  if (clientId === undefined || clientSecret === undefined) return reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
  if (configured.type === 'openid') return { ...configured, clientSecret };
  return { ...configured, type: 'standard', clientId, clientSecret };
}
