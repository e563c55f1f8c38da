import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyring } from './keyring.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';
import { createResponseCipher } from './response-cipher.ts';

async function createTestCipher() {
  const [masterKey, keyStore] = [randomBytes(32), createMemoryKeyStore()];
  const keyring = await createKeyring({ masterKey, keyStore });
  await keyring.keysFor(['ann', 'bob']);
  return { cipher: createResponseCipher(masterKey, keyring), keyring, masterKey, keyStore };
}

test('a response can be decrypted with its ID until one of its subjects is erased', async () => {
  const { cipher, keyring } = await createTestCipher();
  const encrypted = await cipher.encrypt('1', ['bob', 'a team that is not a subject', 'ann'], 'secret');
  if (!encrypted) throw new Error('nothing was encrypted');
  expect(encrypted.subjects).toEqual(['ann', 'bob']);
  expect(await cipher.open('1', encrypted)).toBe('secret');
  await expect(cipher.open('2', encrypted)).rejects.toThrow();
  await keyring.erase('bob');
  expect(await cipher.open('1', encrypted)).toBeNull();
});

test('a response of an erased subject cannot be decrypted with the master key alone', async () => {
  const { cipher, keyring, masterKey } = await createTestCipher();
  const encrypted = await cipher.encrypt('1', ['ann'], 'secret');
  await keyring.erase('ann');
  await expect(cipher.open('1', { answer: encrypted?.answer ?? '', subjects: [] })).rejects.toThrow();
  const others = await createKeyring({ masterKey, keyStore: createMemoryKeyStore() });
  await others.keysFor(['ann']);
  await expect(
    createResponseCipher(masterKey, others).open('1', encrypted ?? { answer: '', subjects: [] }),
  ).rejects.toThrow();
});

test('a response about an erased subject is not encrypted', async () => {
  const { cipher, keyring } = await createTestCipher();
  await keyring.erase('ann');
  expect(await cipher.encrypt('1', ['ann', 'bob'], 'secret')).toBeNull();
});
