import { issuerFault, openIdProviderIdFault } from '@gatebook/domain/project/openid-providers';
import { trustedDomainFault } from '@gatebook/domain/project/trusted-domains';
import { commonPasswordText } from '@gatebook/domain/user/password';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../routes/all.ts';
import { germanFaults } from './faults.ts';

/** Schemas inside of a schema, with itself. */
function listSchemas(schema: unknown, seen = new Set<unknown>()): Set<unknown> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return seen;
  seen.add(schema);
  const { _zod } = schema as { _zod?: { def?: object } };
  const inner = _zod ? Object.values(_zod.def ?? {}) : Object.values(schema);
  for (const value of inner) listSchemas(value, seen);
  return seen;
}

type Messages = { _zod?: { def?: { error?: (issue: object) => unknown } } };

/** Texts that are written in the schemas of requests. */
function listOwnTexts(): string[] {
  const schemas = routes.flatMap(({ params, query, body, headers, bodyFor }) =>
    [params, query, body, headers, ...Object.values(bodyFor ?? {})].filter((schema) => schema instanceof z.ZodType),
  );
  const seen = new Set<unknown>();
  for (const schema of schemas) listSchemas(schema, seen);
  const texts = [...seen].map((schema) => (schema as Messages)._zod?.def?.error?.({ input: '' }));
  return [...new Set(texts.filter((text) => typeof text === 'string'))].toSorted();
}

test('each text of a schema has a German one', () => {
  const texts = listOwnTexts();
  expect(texts.length).toBeGreaterThan(25);
  expect(texts.filter((text) => germanFaults.own(text) === text)).toEqual([]);
});

test('each fault of what owners enter has a German text', () => {
  const faults = [
    ...['', 'http://*.example.com/*', 'https://a.example.com:*', 'https://*.com', 'https://a b'].map(
      trustedDomainFault,
    ),
    ...['A!', 'github'].map(openIdProviderIdFault),
    ...['x y', 'ftp://a.example', 'https://a.example?b', 'https://a.example/.well-known/x'].map(issuerFault),
    commonPasswordText,
  ];
  expect(faults).not.toContain(null);
  expect(faults.filter((fault) => germanFaults.own(fault ?? '') === fault)).toEqual([]);
});

test('paths and values stay as they are', () => {
  expect(germanFaults.own('must not have more than 10 headers')).toBe('darf nicht mehr als 10 Header haben');
  expect(germanFaults.own('The provider ID is the ID of another sign-in method')).toBe(
    'Die Anbieter-ID ist die ID einer anderen Anmeldemethode',
  );
  expect(germanFaults.own('query.as_of: this endpoint can’t show the past')).toBe(
    'query.as_of: dieser Endpunkt kann die Vergangenheit nicht zeigen',
  );
  expect(germanFaults.own('A text of another release')).toBe('A text of another release');
});
