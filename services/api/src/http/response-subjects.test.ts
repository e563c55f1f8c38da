import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { describe, expect, test } from 'vitest';
import { issuedTokens, subjectsOf } from './response-subjects.ts';

const lookupHash = createLookupHash(Buffer.alloc(32));
const userId = '00000000-0000-4000-8000-000000000001';
const subjectsIn = (body: string, url = '/api/v1/users') =>
  subjectsOf(lookupHash, { projectId: 'shop', url, body, callerIds: [] });
const refsIn = (body: string) => subjectsIn(body)?.addressRefs;
const tokenOf = (claims: object) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256' })}.${part(claims)}.signature`;
};

describe('the subjects of a response', () => {
  test.each([
    '{"email":"ann@example.com"}',
    'The address ann@example.com is taken.',
    'Is it ann@example.com!?',
    '<ann@example.com>',
    'https://app.example/?email=ann@example.com#x',
  ])('include the address in %s', (body) => expect(refsIn(body)).toEqual(refsIn('ann@example.com')));

  test.each(['@', 'a@', '@b', 'a@.', '', `${'a'.repeat(320)}@example.com`])('include no address in %j', (body) =>
    expect(refsIn(`"${body}"`)).toEqual([]),
  );

  test('include the IDs in the path and in tokens', () => {
    const other = userId.replace(/1$/, '2');
    const found = subjectsIn(`{"access_token":"${tokenOf({ sub: userId })}"}`, `/api/v1/users/${other}`);
    expect(found?.ids).toEqual([other, userId]);
  });
});

test('tokens are found wherever they are', () => {
  const token = tokenOf({ aud: 'shop', sub: userId, refreshTokenId: 's' });
  const found = [{ projectId: 'shop', userId, sessionId: 's' }];
  for (const body of [`{"a":"${token}"}`, `https://app.example/#token=${token}`, `Bearer ${token}`])
    expect(issuedTokens(body)).toEqual(found);
});

/** Quadratic time would be several seconds. */
const length = 200_000;

test.each(['a', 'eyJ', 'a@', 'eyJa.', '.', 'a@b.'])('a long response of %s takes little time', (part) => {
  const text = part.repeat(length / part.length);
  const began = performance.now();
  subjectsIn(`{"text":"${text}@${text}x"}`, `/api/v1/users?${text.slice(0, 16_000)}`);
  expect(performance.now() - began).toBeLessThan(2_000);
});
