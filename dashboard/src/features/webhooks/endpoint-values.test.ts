import { expect, test } from 'vitest';
import { sampleEndpoint } from '../../testing/samples.ts';
import { changesOf, creationOf, urlFault, valuesOf } from './endpoint-values.ts';

const endpoint = sampleEndpoint({ types: ['user.*'], headerNames: ['authorization', 'x-old'], rateLimitPerSecond: 5 });

test('a header stays as it is, unless it is removed or gets a new value', () => {
  const values = valuesOf(endpoint);
  expect(changesOf(endpoint, values).headers).toBeUndefined();
  const [kept] = values.headers;
  const headers = [...(kept ? [kept] : []), { name: 'X-New', value: 'v ', isKept: false }];
  expect(changesOf(endpoint, { ...values, headers }).headers).toEqual({ 'x-old': null, 'X-New': 'v' });
  const changed = values.headers.map((header) => ({ ...header, value: header.name }));
  expect(changesOf(endpoint, { ...values, headers: changed }).headers).toEqual({
    authorization: 'authorization',
    'x-old': 'x-old',
  });
});

test('no types stand for all, and no number for no limit', () => {
  const created = creationOf({ ...valuesOf(null), url: ' https://a.test/hooks ' });
  expect(created).toMatchObject({ url: 'https://a.test/hooks', types: null, rateLimitPerSecond: null, headers: {} });
  expect(changesOf(endpoint, valuesOf(endpoint))).toMatchObject({ types: ['user.*'], rateLimitPerSecond: 5 });
});

test('a URL must be complete', () => {
  expect(urlFault('https://a.test/hooks')).toBeNull();
  expect(urlFault('a.test/hooks')).not.toBeNull();
  expect(urlFault('ftp://a.test')).not.toBeNull();
});
