import { expect, test } from 'vitest';
import { checkNewPassword, checkPasswordFits } from './password.ts';

test('a chosen password has 8 to 70 characters', () => {
  expect(() => checkNewPassword('1234567')).toThrow(
    expect.objectContaining({ code: 'PASSWORD_TOO_SHORT', details: { min_length: 8 } }),
  );
  checkNewPassword('12345678');
  checkNewPassword('x'.repeat(70));
  expect(() => checkNewPassword('x'.repeat(71))).toThrow(
    expect.objectContaining({ code: 'PASSWORD_TOO_LONG', details: { maxLength: 70 } }),
  );
});

test('a server may set a short one, not a long one', () => {
  checkPasswordFits('1');
  expect(() => checkPasswordFits('x'.repeat(71))).toThrow(expect.objectContaining({ code: 'PASSWORD_TOO_LONG' }));
});
