import { providerNames } from '@gatebook/contract/provider-names';

/** A sign-in provider of a project. `displayName`: of one that the project's owner added. */
export type EnabledProvider = { id: string; displayName?: string };

/** The display name of a provider; the ID itself if it is unknown. `providers`: those of the project. */
export function providerName(id: string, providers: readonly EnabledProvider[] = []): string {
  const own = providers.find((provider) => provider.id === id)?.displayName;
  return own ?? (Object.hasOwn(providerNames, id) ? (providerNames[id] ?? id) : id);
}
