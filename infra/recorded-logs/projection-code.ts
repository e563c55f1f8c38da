import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition } from '@gatebook/domain/event';
import { asModule, bundle, shortHash } from './bundle.ts';
import { hashOf } from './schemas.ts';

const readmodel = fileURLToPath(new URL('../../services/readmodel/src/', import.meta.url));

/** A hash of all code that a projection consists of, and of the events that it names: their schemas and upcasts. */
async function codeOf(module: string): Promise<string> {
  const code = await bundle([`${readmodel}${module}.ts`]);
  const events = Object.entries<EventDefinition>(catalog)
    .filter(([type]) => new RegExp(`\\b${type}\\b`).test(code))
    .map(([type, definition]) => [type, definition.version, hashOf(definition), String(definition.upcast)]);
  return shortHash(JSON.stringify([code, events]));
}

/** By module, such as `users/projection`: those that the groups track. */
export async function computeProjectionCode(): Promise<Record<string, string>> {
  const groups = await readFile(`${readmodel}projection-groups.ts`, 'utf8');
  const modules = new Set([...groups.matchAll(/track\(\s*'([\w/-]+)'/g)].flatMap(([, module]) => module ?? []));
  const hashes: Record<string, string> = {};
  for (const module of [...modules].sort()) hashes[module] = await codeOf(module);
  return hashes;
}

export const writeProjectionCode = (hashes: Readonly<Record<string, string>>): Promise<void> =>
  writeFile(`${readmodel}projection-code.ts`, asModule('projectionCode', 'record:projections', hashes));
