import { expect, test } from 'vitest';
import { countryName } from './country-name.ts';

test('countries have names, and codes that are none stay', () => {
  expect(['SE', 'US', 'T1', 'QQ', ''].map(countryName)).toEqual(['Sweden', 'United States', 'T1', 'QQ', '']);
});
