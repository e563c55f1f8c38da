import { expect, test } from 'vitest';
import { email, flag, millis, name, signInEmail, url, uuid } from './common.ts';
import { knownErrors } from './errors.ts';
import { errorBody } from './plain-errors.ts';
import { ActionParams } from './previews.ts';

const accepts = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

test('scalars are coerced and other values are not', () => {
  expect(name.parse(12)).toBe('12');
  expect(name.parse(true)).toBe('true');
  expect(accepts(name, null)).toBe(false);
  expect(accepts(name, ['a'])).toBe(false);
  expect(millis.parse(' 1 700 ')).toBe(1700);
  expect(accepts(millis, '')).toBe(false);
  expect(accepts(millis, '12x')).toBe(false);
  expect(flag.parse('TRUE')).toBe(true);
  expect(flag.parse(0)).toBe(false);
  expect(accepts(flag, 'yes')).toBe(false);
});

test('an action can be a page of a mailing, which is named by the mailing and a recipient', () => {
  const id = 'c0ffee00-0000-4000-8000-00000000000a';
  expect(accepts(ActionParams, { action_id: `mailing ${id} ${id}` })).toBe(true);
});

test('numbers that are not finite are not coerced to strings', () => {
  for (const value of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
    expect(accepts(name, value)).toBe(false);
    expect(accepts(millis, value)).toBe(false);
  }
});

test('IDs are UUIDs of versions 1 to 8 or nil in any case and become lowercase', () => {
  expect(uuid.parse('C0FFEE00-0000-4000-8000-00000000000A')).toBe('c0ffee00-0000-4000-8000-00000000000a');
  expect(accepts(uuid, '00000000-0000-0000-0000-000000000000')).toBe(true);
  expect(accepts(uuid, 'c0ffee00-0000-7000-8000-00000000000a')).toBe(true);
  expect(accepts(uuid, 'c0ffee00-0000-9000-8000-00000000000a')).toBe(false);
  expect(accepts(uuid, 'me')).toBe(false);
});

test.each([
  'a@localhost',
  'a@gmail',
  'a@gmail.a',
  '.a@example.com',
  'a..b@example.com',
  'a.@example.com',
  'a@b@c.de',
  '',
])('%s is not a sign-in address', (address) => expect(accepts(signInEmail, address)).toBe(false));

test('sign-in addresses have an ordinary form', () => {
  expect(accepts(signInEmail, 'a+b@x-y.example.com')).toBe(true);
  expect(accepts(email, 'a@localhost')).toBe(true);
  expect(accepts(email, 'a b@example.com')).toBe(false);
});

test('URLs are absolute and without spaces', () => {
  expect(accepts(url, 'http://localhost:1')).toBe(true);
  expect(accepts(url, '/handler')).toBe(false);
  expect(accepts(url, 'http://a b.example')).toBe(false);
});

test('an error body has exactly the details of the catalog', () => {
  const facts = { min_length: 8, password: 'geheim' };
  expect(errorBody('PASSWORD_TOO_SHORT', knownErrors.PASSWORD_TOO_SHORT, facts)).toEqual({
    code: 'PASSWORD_TOO_SHORT',
    details: { min_length: 8 },
    error: 'The password is too short. It needs at least 8 characters.',
  });
  expect(errorBody('EMAIL_PASSWORD_MISMATCH', knownErrors.EMAIL_PASSWORD_MISMATCH, facts)).toEqual({
    code: 'EMAIL_PASSWORD_MISMATCH',
    error: 'Wrong email or password.',
  });
});
