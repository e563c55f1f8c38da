import { expect, test } from 'vitest';
import { createCountryOf } from './country.ts';

test('public addresses have a country, others have none', async () => {
  const { countryOf, ready } = createCountryOf((error) => expect.fail(String(error)));
  expect(countryOf('8.8.8.8')).toBeNull();
  await ready;
  expect(countryOf('8.8.8.8')).toBe('US');
  expect(countryOf('2001:4860:4860::8888')).toBe('US');
  expect(countryOf('193.99.144.80')).toBe('DE');
  for (const ip of ['10.0.0.1', '127.0.0.1', '192.168.1.1', '169.254.0.1', '::1', 'fe80::1']) {
    expect(countryOf(ip)).toBeNull();
  }
});
