import { readFile } from 'node:fs/promises';

/** The newest client's types; what a version lacks is absent at run time. */
export type ClientLibrary = typeof import('stack-js-2-8-108');

export type PublishedClient = { version: string; packageName: string };

/**
 * The versions of `@stackframe/js` that the tests drive, oldest first. Each one is an alias in the root `package.json`,
 * so one line there adds a version.
 */
export const publishedClients: readonly PublishedClient[] = await readAliases();

async function readAliases(): Promise<PublishedClient[]> {
  const manifest = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return Object.entries(devDependencies)
    .filter(([name]) => name.startsWith('stack-js-'))
    .map(([packageName, range]) => ({ packageName, version: range.slice(range.lastIndexOf('@') + 1) }))
    .sort((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }));
}

export async function loadClient({ packageName }: PublishedClient): Promise<ClientLibrary> {
  return (await import(packageName)) as ClientLibrary;
}
