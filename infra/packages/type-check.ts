import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const moduleResolutions = ['bundler', 'nodenext'] as const;
export type ModuleResolution = (typeof moduleResolutions)[number];

const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

/**
 * Type-checks `files` of `folder` strictly, with the declarations of all packages unless `skipLibCheck` is on. Resolves
 * to what tsc prints.
 */
export async function typeErrors(
  folder: string,
  moduleResolution: ModuleResolution,
  files: readonly string[],
  { skipLibCheck = false } = {},
): Promise<string> {
  const config = `tsconfig.${moduleResolution}.json`;
  const compilerOptions = {
    module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    jsx: 'react-jsx',
    strict: true,
    skipLibCheck,
    esModuleInterop: true,
    noEmit: true,
    types: [],
  };
  await writeFile(join(folder, config), JSON.stringify({ compilerOptions, files }));
  return promisify(execFile)(tsc, ['-p', config], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}
