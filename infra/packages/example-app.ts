import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { generatedNames } from './build.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const left: ReadonlySet<string> = new Set(['node_modules', ...generatedNames]);

/** Copies an example to a folder that stands for a clone of the repository. */
export async function copyExample(clone: string, name: string, copy = name): Promise<string> {
  const folder = join(clone, 'examples', copy);
  await cp(join(examples, name), folder, { recursive: true, filter: (path) => !left.has(basename(path)) });
  return folder;
}

/** With npm's settings. Programs of an app choose their own mode instead of `test`. */
const environment = (variables: Readonly<Record<string, string>>) => ({
  ...process.env,
  NODE_ENV: undefined,
  npm_config_prefer_offline: 'true',
  // `npm create` asks before it downloads a program.
  npm_config_yes: 'true',
  ...variables,
});

/** Runs lines of a shell. @throws Error with their output if one fails */
export async function runLines(folder: string, lines: readonly string[], variables = {}): Promise<void> {
  const child = spawn('bash', ['-ec', lines.join('\n')], {
    cwd: folder,
    env: environment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => output.push(data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${lines.join('; ')} ended with ${code}: ${output.join('')}`);
}

/** Runs lines of a shell whose last one serves `url`, until `stop`. */
export async function serveLines(folder: string, lines: readonly string[], url: string, variables = {}) {
  const child = spawn('bash', ['-ec', lines.join('\n')], {
    cwd: folder,
    env: environment(variables),
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const exited = once(child, 'exit');
  await vi.waitFor(() => fetch(url));
  return {
    stop: async () => {
      // Also ends what the shell and npm started.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await exited;
    },
  };
}
