import { readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asModule, bundle, shortHash } from './bundle.ts';

const domain = fileURLToPath(new URL('../../services/domain/src/', import.meta.url));

/** Aggregates whose states can be stored. */
async function listAggregates(): Promise<readonly string[]> {
  const files = await readdir(domain, { recursive: true });
  return files
    .flatMap((file) => (/^([\w-]+)\/state\.ts$/.test(file) ? [file.slice(0, -'/state.ts'.length)] : []))
    .sort();
}

/** A hash of all code that the aggregate's `evolve`, schemas and upcasts consist of. */
async function stateVersionOf(aggregate: string): Promise<string> {
  return shortHash(await bundle(['state', 'events'].map((file) => `${domain}${aggregate}/${file}.ts`)));
}

export async function computeStateVersions(): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const aggregate of await listAggregates()) versions[aggregate] = await stateVersionOf(aggregate);
  return versions;
}

export async function writeStateVersions(versions: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(`${domain}state-versions.ts`, asModule('stateVersions', 'record:states', versions));
}
