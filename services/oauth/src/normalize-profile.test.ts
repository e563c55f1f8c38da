import { expect, test } from 'vitest';
import { normalizeProfile } from './normalize-profile.ts';

const ann = {
  accountId: 'ann-1',
  displayName: 'Ann',
  profileImageUrl: 'https://images.example/ann.png',
  email: 'ann@example.com',
  isEmailVerified: true,
};

test('a profile within limits does not change', () => {
  expect(normalizeProfile(ann)).toEqual(ann);
  expect(normalizeProfile({ accountId: 42 })).toEqual({
    accountId: '42',
    displayName: null,
    profileImageUrl: null,
    email: null,
    isEmailVerified: false,
  });
});

test.each([
  ['Ann\u0000 \u001b[31mExample\n', 'Ann [31mExample'],
  ['  ', null],
  ['', null],
  ['\u0000', null],
  [`${'x'.repeat(256)}yz`, 'x'.repeat(256)],
  [`${'x'.repeat(255)}😀`, 'x'.repeat(255)],
  ['half \ud83d', 'half \ufffd'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
])('the name %j becomes %j', (displayName, expected) => {
  expect(normalizeProfile({ ...ann, displayName })?.displayName).toBe(expected);
});

test.each([
  ['nobody'],
  ['ann@'],
  ['ann@example.com, bob@example.com'],
  ['Ann <ann@example.com>'],
  ['ann@example.com\u0000'],
  ['ann@example.com\nbcc: bob@example.com'],
  [`${'a'.repeat(310)}@example.com`],
  [''],
])('%j is not an email address and does not count as verified', (email) => {
  expect(normalizeProfile({ ...ann, email })).toMatchObject({ email: null, isEmailVerified: false });
});

test.each([
  'javascript:alert(1)',
  'data:image/png;base64,AAAA',
  'ftp://images.example/a.png',
  '//images.example/a.png',
  '/a.png',
  'https://ann:secret@images.example/a.png',
  'https://images.example/a b.png',
  'https://images.example/\u0000.png',
  `https://images.example/${'x'.repeat(2048)}`,
  'https://',
])('%s is not an image URL', (profileImageUrl) => {
  expect(normalizeProfile({ ...ann, profileImageUrl })?.profileImageUrl).toBeNull();
});

test.each(['', ' ', '\n', 'a\u0000b', 'a\nb', '\ud83d', 'x'.repeat(256)])('%j is no account', (accountId) => {
  expect(normalizeProfile({ ...ann, accountId })).toBeNull();
});
