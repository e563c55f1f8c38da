import { createHash, createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { decryptBytes, encryptBytes } from '../encryption/cipher.ts';
import type { BlobId, StoredBlob } from './blob-store.ts';

/** A field whose JSON is larger than this is stored as a blob. */
const maxInlineBytes = 4_096;

/** Where the references of an event are, in its stored data. No field of a schema has this name. */
const referencesField = '$large';

/** A large value of a stored event. `isPersonal`: encrypted under the event's subject. `bytes`: size of the blob. */
export type Reference = { hash: string; bytes: number; isPersonal: boolean };
type Fields = Readonly<Record<string, unknown>>;
export type References = Readonly<Record<string, Reference>>;

const noReferences: References = {};

export const referencesOf = (data: Fields): References => (data[referencesField] as References) ?? noReferences;

export function withReferences(data: Fields, references: References): Fields {
  return Object.keys(references).length === 0 ? data : { ...data, [referencesField]: references };
}

export function withoutReferences(data: Fields): Record<string, unknown> {
  const { [referencesField]: _, ...fields } = data;
  return fields;
}

export const projectOwner = (projectId: string) => `project-${projectId}`;

type Split = { inline: Record<string, unknown>; blobs: StoredBlob[]; references: Record<string, Reference> };

/**
 * Separates the fields that are too large for an event. `key`: encrypts them; null for fields that are not personal.
 * The same value of the same owner is the same blob.
 */
export function splitLarge(fields: Fields, owner: string, key: KeyObject | null): Split {
  const split: Split = { inline: {}, blobs: [], references: {} };
  for (const [field, value] of Object.entries(fields)) {
    const json = jsonAbove(value);
    if (json === null) {
      split.inline[field] = value;
      continue;
    }
    const hash = hashOf(json, key);
    const content = key ? encryptBytes(key, json, associatedWith({ owner, hash })) : json;
    split.blobs.push({ owner, hash, content, isEncrypted: key !== null });
    split.references[field] = { hash, bytes: content.length, isPersonal: key !== null };
  }
  return split;
}

/** @throws Error if the content was changed, or belongs to another blob */
export function openBlob(id: BlobId, key: KeyObject | null, content: Buffer): unknown {
  return JSON.parse((key ? decryptBytes(key, content, associatedWith(id)) : content).toString());
}

/** The value as JSON if that is too large for an event; null otherwise. */
function jsonAbove(value: unknown): Buffer | null {
  if (typeof value === 'string' ? value.length * 3 < maxInlineBytes : typeof value !== 'object') return null;
  const json = JSON.stringify(value);
  // A UTF-16 code unit is at most three bytes.
  if (json.length * 3 <= maxInlineBytes) return null;
  const bytes = Buffer.from(json);
  return bytes.length > maxInlineBytes ? bytes : null;
}

/** Keyed for personal values, so that nobody without the key can check a guess. */
function hashOf(json: Buffer, key: KeyObject | null): string {
  if (!key) return createHash('sha256').update(json).digest('base64url');
  const hashKey = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'gatebook blob hash v1', 32));
  return createHmac('sha256', hashKey).update(json).digest('base64url');
}

const associatedWith = ({ owner, hash }: BlobId) => JSON.stringify(['blob', owner, hash]);
