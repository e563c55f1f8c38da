export { providerNames } from '@gatebook/domain/project/provider-names';
