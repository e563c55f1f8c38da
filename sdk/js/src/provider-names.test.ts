import { expect, test } from 'vitest';
import { providerName } from './provider-names.ts';

test('a known provider has its display name, an unknown one its ID', () => {
  expect(providerName('github')).toBe('GitHub');
  expect(providerName('acme')).toBe('acme');
  expect(providerName('toString')).toBe('toString');
  expect(providerName('acme', [{ id: 'github' }, { id: 'acme', displayName: 'Acme Login' }])).toBe('Acme Login');
  expect(providerName('github', [{ id: 'github' }])).toBe('GitHub');
});
