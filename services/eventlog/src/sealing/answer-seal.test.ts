import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAnswerSeal } from './answer-seal.ts';
import { createKeyring } from './keyring.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';

async function createSeal() {
  const [masterKey, keyStore] = [randomBytes(32), createMemoryKeyStore()];
  const keyring = await createKeyring({ masterKey, keyStore });
  await keyring.keysFor(['ann', 'bob']);
  return { seal: createAnswerSeal(masterKey, keyring), keyring, masterKey, keyStore };
}

test('an answer opens for its id, as long as all its subjects are there', async () => {
  const { seal, keyring } = await createSeal();
  const sealed = await seal.seal('1', ['bob', 'a team that is no subject', 'ann'], 'secret');
  if (!sealed) throw new Error('nothing was sealed');
  expect(sealed.subjects).toEqual(['ann', 'bob']);
  expect(await seal.open('1', sealed)).toBe('secret');
  await expect(seal.open('2', sealed)).rejects.toThrow();
  await keyring.erase('bob');
  expect(await seal.open('1', sealed)).toBeNull();
});

test('a backup of the table does not open with the master key alone', async () => {
  const { seal, keyring, masterKey } = await createSeal();
  const sealed = await seal.seal('1', ['ann'], 'secret');
  await keyring.erase('ann');
  await expect(seal.open('1', { answer: sealed?.answer ?? '', subjects: [] })).rejects.toThrow();
  const others = await createKeyring({ masterKey, keyStore: createMemoryKeyStore() });
  await others.keysFor(['ann']);
  await expect(createAnswerSeal(masterKey, others).open('1', sealed ?? { answer: '', subjects: [] })).rejects.toThrow();
});

test('an answer that speaks of somebody who is erased is not sealed at all', async () => {
  const { seal, keyring } = await createSeal();
  await keyring.erase('ann');
  expect(await seal.seal('1', ['ann', 'bob'], 'secret')).toBeNull();
});
