import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '@gatebook/runtime/free-port';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { vi } from 'vitest';

type Variables = Readonly<Record<string, string>>;
export type RunningApp = { url: string; stop(): Promise<void> };
export type InstalledApp = {
  build(variables: Variables): Promise<void>;
  /** Starts a program of the app with arguments such as `--port`, on a free port. */
  start(program: string, options: readonly string[], variables?: Variables): Promise<RunningApp>;
  remove(): Promise<void>;
};

/** Packages of hundreds of megabytes, and a build of the app. */
export const installDeadlineMs = 4 * testDeadlineMs;

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const generated: ReadonlySet<string> = new Set(['node_modules', 'dist', '.next']);

/** Installs an example from its lockfile in an empty folder, as a newcomer does. */
export async function installExample(name: string): Promise<InstalledApp> {
  const folder = await mkdtemp(join(tmpdir(), `gatebook-${name}-`));
  await cp(join(examples, name), folder, { recursive: true, filter: (path) => !generated.has(basename(path)) });
  const environmentWith = (variables: Variables) => ({
    ...process.env,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    ...variables,
  });
  const npm = (words: readonly string[], variables: Variables = {}) =>
    promisify(execFile)('npm', words, { cwd: folder, env: environmentWith(variables) });
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  await npm(['ci', '--include=dev', '--ignore-scripts', '--prefer-offline', ...quiet]);
  return {
    build: async (variables) => {
      await npm(['run', 'build'], variables);
    },
    start: async (program, options, variables = {}) => {
      const port = await findFreePort();
      const child = spawn(join(folder, 'node_modules/.bin', program), [...options, '--port', String(port)], {
        cwd: folder,
        env: environmentWith(variables),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const exited = once(child, 'exit');
      const url = `http://localhost:${port}`;
      await vi.waitFor(() => fetch(url));
      return {
        url,
        stop: async () => {
          child.kill();
          await exited;
        },
      };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
