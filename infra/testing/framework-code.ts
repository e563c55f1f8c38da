import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, type Framework, type Values } from '../../dashboard/src/features/start/framework.ts';
import { frameworks } from '../../dashboard/src/features/start/frameworks.ts';

/** The framework that Get started shows under this ID. @throws Error if there is none */
export function frameworkOf(id: string): Framework {
  const found = frameworks.find((framework) => framework.id === id);
  if (!found) throw new Error(`There is no framework ${id}.`);
  return found;
}

/** Writes the files that an owner pastes, and the variables, into the folder of an app. */
export async function pasteCode({ env, files }: Framework, values: Values, folder: string): Promise<void> {
  const variables = { path: env.path, code: `${env.lines(values).join('\n')}\n` };
  const pasted = files.map((file) => ({ path: file.path, code: codeOf(file, values) }));
  for (const { path, code } of [variables, ...pasted]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), code);
  }
}
