import { commonPasswordText } from '@gatebook/domain/user/password';
import { expect, test } from 'vitest';
import { expectRejection } from '../testing/world.ts';
import { checkChosenPassword } from './chosen-password.ts';

test.each(['password', '12345678', 'Password1', 'P@SSW0RD', 'qwertyuiop', 'iloveyou'])(
  'a common or breached password is rejected: %s',
  async (password) => {
    await expectRejection(checkChosenPassword(password), 'SCHEMA_ERROR', { message: commonPasswordText });
    await checkChosenPassword(password, { breachedPasswordsRejected: false });
  },
);

test.each(['correct horse battery', 'Password123!', 'password and more', ' password', '密码密码密码密码'])(
  'a password that only contains a common one is accepted: %s',
  async (password) => {
    await checkChosenPassword(password);
  },
);

test('password length is checked before the list', async () => {
  for (const breachedPasswordsRejected of [true, false]) {
    const check = (password: string) => checkChosenPassword(password, { breachedPasswordsRejected });
    await expectRejection(check('1234567'), 'PASSWORD_TOO_SHORT', { min_length: 8 });
    await expectRejection(check('x'.repeat(71)), 'PASSWORD_TOO_LONG', { maxLength: 70 });
  }
});

test('every password of the list that is long enough to be chosen is rejected', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const chosen = dictionary['passwords-common'].map(String).filter((password) => [...password].length >= 8);
  expect(chosen.length).toBeGreaterThan(15_000);
  for (const password of chosen) {
    await expect(checkChosenPassword(password), password).rejects.toMatchObject({ code: 'SCHEMA_ERROR' });
  }
});
