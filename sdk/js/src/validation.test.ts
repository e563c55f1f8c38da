import { passwordLength as lengthOfTheServer, commonPasswordText as ofTheServer } from '@gatebook/domain/user/password';
import { expect, test } from 'vitest';
import { KnownError } from './errors.ts';
import { commonPasswordText, newPasswordFault, passwordLength, rejectedPasswordFault } from './validation.ts';

test('the policy is that of the server', () => {
  expect(commonPasswordText).toBe(ofTheServer);
  expect(passwordLength).toEqual(lengthOfTheServer);
});

test('characters are counted, not UTF-16 units', () => {
  expect(newPasswordFault('🗝'.repeat(7))).toContain('at least 8');
  expect(newPasswordFault('🗝'.repeat(70))).toBeNull();
  expect(newPasswordFault('🗝'.repeat(71))).toContain('at most 70');
});

test('only what is said of a password belongs to its field', () => {
  const schemaError = (message: string) => new KnownError('SCHEMA_ERROR', 400, message, { message });
  expect(rejectedPasswordFault(schemaError(commonPasswordText))).toBe(commonPasswordText);
  expect(rejectedPasswordFault(schemaError('body.email is required'))).toBeNull();
  expect(rejectedPasswordFault(new KnownError('PASSWORD_TOO_SHORT', 400, 'Too short.'))).toBe('Too short.');
  expect(rejectedPasswordFault(new Error('down'))).toBeNull();
});
