import { expect, test } from 'vitest';
import { checkNewPassword, checkPasswordLength } from './password.ts';

test('a project can ask for more characters', () => {
  expect(() => checkNewPassword('🗝'.repeat(63), 64)).toThrow(
    expect.objectContaining({ code: 'PASSWORD_TOO_SHORT', details: { min_length: 64 } }),
  );
  checkNewPassword('🗝'.repeat(64), 64);
});

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

test('password length counts characters, not UTF-16 units', () => {
  for (const sign of ['x', 'ß', '密', '🗝']) {
    checkNewPassword(sign.repeat(8));
    checkNewPassword(sign.repeat(70));
    expect(() => checkNewPassword(sign.repeat(7))).toThrow(expect.objectContaining({ code: 'PASSWORD_TOO_SHORT' }));
    for (const length of [71, 100_000]) {
      const tooLong = expect.objectContaining({ code: 'PASSWORD_TOO_LONG' });
      expect(() => checkNewPassword(sign.repeat(length))).toThrow(tooLong);
    }
  }
});

test('a server may set a short password but not a long one', () => {
  checkPasswordLength('1');
  expect(() => checkPasswordLength('x'.repeat(71))).toThrow(expect.objectContaining({ code: 'PASSWORD_TOO_LONG' }));
});
