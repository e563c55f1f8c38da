import { expect, test, vi } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

const list = vi.hoisted(() => ({ isReadable: false }));
vi.mock('@zxcvbn-ts/language-common', () => ({
  get dictionary() {
    if (!list.isReadable) throw new Error('too many open files');
    return { 'passwords-common': ['password123'] };
  },
}));

test('the list of common passwords is loaded again after a failure', async () => {
  await expect(isCommonPassword('password123')).rejects.toThrow('too many open files');
  list.isReadable = true;
  expect(await isCommonPassword('Password123')).toBe(true);
});
