import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

type Manifest = {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, Manifest & { resolved?: string }> };

const root = fileURLToPath(new URL('../../', import.meta.url));
const readJson = async <Content>(...path: string[]): Promise<Content> =>
  JSON.parse(await readFile(join(root, ...path), 'utf8'));

/** With the published clients of Stack Auth. */
const withStack = ['react-quickstart', 'react-vite', 'nextjs'];
const installed = ['react-vite', 'nextjs'];
const withGatebook = (await readdir(join(root, 'examples'))).filter(
  (name) => ![...withStack, 'event-log'].includes(name),
);

test.each(withGatebook)(
  'examples/%s uses the packed packages and exact versions, in at most ten files',
  async (name) => {
    const { dependencies = {}, devDependencies = {} } = await readJson<Manifest>('examples', name, 'package.json');
    for (const [id, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const tarball = `file:../../dist/packages/${id.replace('@', '').replace('/', '-')}-0.1.0.tgz`;
      if (id.startsWith('@gatebook/')) expect(version).toBe(tarball);
      else expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
    const { stdout } = await promisify(execFile)('git', ['ls-files', '-co', '--exclude-standard', `examples/${name}`], {
      cwd: root,
    });
    expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(10);
  },
);

test.each(withStack)('examples/%s uses the newest tested client and exact versions', async (name) => {
  const { dependencies = {}, devDependencies = {} } = await readJson<Manifest>('examples', name, 'package.json');
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const { version } = await readJson<Manifest>('node_modules/stack-js-2-8-108/package.json');
  const clients = Object.entries(dependencies).filter(([id]) => id.startsWith('@stackframe/'));
  expect(clients.map(([, version]) => version)).toEqual([version]);
});

describe.each(installed)('the lockfile of examples/%s', (name) => {
  test('has the packages of package.json, from the public registry', async () => {
    const { dependencies, devDependencies } = await readJson<Manifest>('examples', name, 'package.json');
    const { packages } = await readJson<Lock>('examples', name, 'package-lock.json');
    expect(packages['']).toMatchObject({ dependencies, devDependencies });
    const hosts = Object.values(packages).flatMap(({ resolved }) => (resolved ? [new URL(resolved).host] : []));
    expect(hosts.filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
  });

  test('has the binaries of every supported platform', async () => {
    const { packages } = await readJson<Lock>('examples', name, 'package-lock.json');
    const compiler = name === 'nextjs' ? '@next/swc' : '@rolldown/binding';
    for (const platform of ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-arm64', 'win32-x64-msvc'])
      expect(packages, platform).toHaveProperty([`node_modules/${compiler}-${platform}`]);
  });
});
