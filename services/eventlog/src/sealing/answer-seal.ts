import { createSecretKey, hkdfSync } from 'node:crypto';
import { open, seal } from './seal.ts';

/** Answers hold tokens and keys: they are kept sealed, each bound to the id it is kept under. */
export type AnswerSeal = { seal(id: string, answer: string): string; open(id: string, sealed: string): string };

/** Under a key of its own, derived from the master key (32 bytes) by HKDF (RFC 5869). */
export function createAnswerSeal(masterKey: Buffer): AnswerSeal {
  const derived = hkdfSync('sha256', masterKey, Buffer.alloc(0), 'gatebook kept answers v1', 32);
  const key = createSecretKey(Buffer.from(derived));
  return {
    seal: (id, answer) => seal(key, Buffer.from(answer), id),
    open: (id, sealed) => open(key, sealed, id).toString(),
  };
}
