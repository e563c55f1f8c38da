import { providerNames } from '@gatebook/contract/provider-names';

/** The provider's name as the provider writes it; the ID of an unknown provider. */
export function providerName(id: string): string {
  return Object.hasOwn(providerNames, id) ? (providerNames[id] ?? id) : id;
}
