import { providerNames } from '@gatebook/domain/project/provider-names';
import { expect, test } from 'vitest';
import { providerName } from './provider-names.ts';

test('providers are called as everywhere, and an unknown one by its id', () => {
  for (const [id, name] of Object.entries(providerNames)) expect(providerName(id)).toBe(name);
  expect(providerName('toString')).toBe('toString');
});
