import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { encrypt, open } from './cipher.ts';
import type { Keyring } from './keyring.ts';

/** `subjects`: the subjects whose keys decrypt the response, in this order. */
export type EncryptedText = { answer: string; subjects: readonly string[] };

/** Responses contain tokens and keys, so they are stored encrypted, each bound to the ID of its record. */
export type ResponseCipher = {
  /** Encrypts also under the keys of those `ids` that are subjects. @returns null if one of them is erased */
  encrypt(id: string, ids: readonly string[], answer: string): Promise<EncryptedText | null>;
  /** @returns null once a subject is erased @throws Error if the text was not encrypted by this cipher */
  open(id: string, encrypted: EncryptedText): Promise<string | null>;
};

/**
 * Uses a key per response, derived from the installation key (32 bytes) and the keys of its subjects by HKDF (RFC
 * 5869).
 */
export function createResponseCipher(installationKey: Buffer, keyring: Pick<Keyring, 'open'>): ResponseCipher {
  function keyFor(subjectKeys: readonly KeyObject[]): KeyObject {
    const material = Buffer.concat([installationKey, ...subjectKeys.map((key) => key.export())]);
    return createSecretKey(
      Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), 'gatebook idempotency records v2', 32)),
    );
  }
  /** Of texts without subjects, such as cursors, of which a stream has one per event. */
  const ownKey = keyFor([]);
  /** Of texts of one subject, as responses to webhooks are: all endpoints get the same events. */
  const keysOfOne = new WeakMap<KeyObject, KeyObject>();
  function keyOf(subjectKeys: readonly KeyObject[]): KeyObject {
    const [only, ...others] = subjectKeys;
    if (!only || others.length > 0) return keyFor(subjectKeys);
    const key = keysOfOne.get(only) ?? keyFor(subjectKeys);
    keysOfOne.set(only, key);
    return key;
  }
  const isKey = (key: KeyObject | null | undefined): key is KeyObject => key !== null && key !== undefined;

  return {
    encrypt: async (id, ids, answer) => {
      if (ids.length === 0) return { answer: encrypt(ownKey, Buffer.from(answer), id), subjects: [] };
      const keys = await keyring.open(ids);
      const subjects = [...keys.keys()].sort();
      const subjectKeys = subjects.map((subject) => keys.get(subject));
      if (!subjectKeys.every(isKey)) return null;
      return { answer: encrypt(keyOf(subjectKeys), Buffer.from(answer), id), subjects };
    },
    open: async (id, { answer, subjects }) => {
      if (subjects.length === 0) return open(ownKey, answer, id).toString();
      const keys = await keyring.open(subjects);
      const subjectKeys = subjects.map((subject) => keys.get(subject));
      return subjectKeys.every(isKey) ? open(keyOf(subjectKeys), answer, id).toString() : null;
    },
  };
}
