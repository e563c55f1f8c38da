import {
  commonPasswordText as serverCommonPasswordText,
  passwordLength as serverPasswordLength,
} from '@gatebook/domain/user/password';
import { expect, test } from 'vitest';
import { KnownError } from './errors.ts';
import { commonPasswordText, newPasswordFault, passwordLength, rejectedPasswordFault } from './validation.ts';

test("the password policy matches the server's", () => {
  expect(commonPasswordText).toBe(serverCommonPasswordText);
  expect(passwordLength).toEqual(serverPasswordLength);
});

test('password length is counted in characters, not UTF-16 units', () => {
  expect(newPasswordFault('🗝'.repeat(7))).toContain('at least 8');
  expect(newPasswordFault('🗝'.repeat(70))).toBeNull();
  expect(newPasswordFault('🗝'.repeat(71))).toContain('at most 70');
  expect(newPasswordFault('🗝'.repeat(11), 12)).toBe('Use at least 12 characters');
  expect(newPasswordFault('🗝'.repeat(12), 12)).toBeNull();
});

test('only errors about the password are shown at its field', () => {
  const schemaError = (message: string) => new KnownError('SCHEMA_ERROR', 400, message, { message });
  expect(rejectedPasswordFault(schemaError(commonPasswordText))).toBe(commonPasswordText);
  expect(rejectedPasswordFault(schemaError('body.email is required'))).toBeNull();
  expect(rejectedPasswordFault(new KnownError('PASSWORD_TOO_SHORT', 400, 'Too short.'))).toBe('Too short.');
  expect(rejectedPasswordFault(new Error('down'))).toBeNull();
});
