import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuiltPackage } from './build.ts';
import { copyPackages } from './copy-packages.ts';
import { folderSize, installedCopies, installPackages } from './install.ts';
import { moduleResolutions, typeErrors } from './type-check.ts';

/* The packed packages in an empty app, with all their dependencies from the registry. */

const MAX_INSTALLED_BYTES = 5_000_000;
const besideReact = new Set([
  ...['react', 'react-dom', 'scheduler', 'loose-envify', 'js-tokens'],
  ...['@types/react', '@types/prop-types', 'csstype'],
]);
const reactVersions = [
  { react: '18.3.1', types: '18.3.31' },
  { react: '19.3.1', types: '19.3.0' },
];

const page = `
import { isKnownError } from '@gatebook/js/errors';
import { GatebookClientApp, GatebookProvider, GatebookTheme, useAction, useUser } from '@gatebook/react';
import { GatebookHandler, SelectedTeamSwitcher, UserButton } from '@gatebook/react/pages';
import { Suspense } from 'react';

const withHooks = new GatebookClientApp({ baseUrl: 'http://localhost:8102', projectId: 'p', tokenStore: 'cookie' });

export function Page() {
  const signOut = useAction(() => withHooks.signOut());
  if (isKnownError(signOut.error, 'USER_NOT_FOUND')) return <p>{signOut.error.message}</p>;
  return (
    <GatebookProvider app={withHooks} lang="de" translationOverrides={{ 'Sign in': 'Log in' }}>
      <GatebookHandler productName="Acme" />
    </GatebookProvider>
  );
}

function Members() {
  const [team] = useUser({ or: 'redirect' }).useTeams();
  const names: (string | null)[] = team?.useUsers().map(({ teamProfile }) => teamProfile.displayName) ?? [];
  return <p>{names.join()}</p>;
}

export const Home = () => (
  <GatebookProvider app={withHooks}>
    <GatebookTheme theme={{ radius: '1px' }} />
    <UserButton showUserInfo />
    <SelectedTeamSwitcher urlMap={(team) => team?.id ?? '/'} />
    <Suspense fallback="waiting for a browser">
      <Members />
    </Suspense>
  </GatebookProvider>
);
`;

let target: string;
let installed: BuiltPackage[];

beforeAll(async () => {
  target = await realpath(await mkdtemp(join(tmpdir(), 'gatebook-install-')));
  const packages = await copyPackages(join(target, 'built'));
  // Next.js alone has hundreds of megabytes; `examples/next` installs it.
  installed = packages.filter(({ name }) => name !== '@gatebook/next');
});
afterAll(async () => {
  if (target) await rm(target, { recursive: true, force: true });
});

describe.each(reactVersions)('check 22: an empty app with React $react', ({ react, types }) => {
  let app: string;
  beforeAll(async () => {
    app = join(target, `react-${react}`);
    await mkdir(app);
    await installPackages(app, [
      ...installed.map(({ tarball }) => tarball),
      ...[`react@${react}`, `react-dom@${react}`, `@types/react@${types}`],
    ]);
    await writeFile(join(app, 'page.tsx'), page);
  }, testDeadlineMs);

  test('check 21: gets one copy of each package', async () => {
    const copies = await installedCopies(app);
    expect([...copies].filter(([, paths]) => paths.length > 1)).toEqual([]);
    expect([...copies.keys()]).toEqual(expect.arrayContaining(['react', ...installed.map(({ name }) => name)]));
  });

  test(`check 21: installs less than ${MAX_INSTALLED_BYTES / 1e6} MB beside React and its types`, async () => {
    const copies = [...(await installedCopies(app))].filter(([name]) => !besideReact.has(name));
    const sizes = await Promise.all(copies.flatMap(([, paths]) => paths.map((path) => folderSize(join(app, path)))));
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  test.each(moduleResolutions)('type-checks under moduleResolution %s', async (resolution) => {
    expect(await typeErrors(app, resolution, ['page.tsx'])).toBe('');
  });

  test('is bundled by Vite and rendered on a server', async () => {
    await writeFile(
      join(app, 'server.tsx'),
      `import { renderToString } from 'react-dom/server'; import { Home, Page } from './page.tsx'; console.log(renderToString(<><Page /><Home /></>));`,
    );
    await build({
      root: app,
      configFile: false,
      logLevel: 'error',
      esbuild: false,
      oxc: { jsx: { runtime: 'automatic' } },
      build: { ssr: 'server.tsx', outDir: 'dist' },
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/server.js'], { cwd: app });
    expect(stdout).toContain('class="gbh');
    expect(stdout).toContain('waiting for a browser');
  });
});
