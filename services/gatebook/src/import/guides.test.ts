import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject } from '@gatebook/commands/project/project';
import { startContext } from '@gatebook/commands/project/seed';
import { newId } from '@gatebook/runtime/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composeWrite } from '../roles/core.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';

const guides = join(import.meta.dirname, '../../../../docs/migrate');
const exports = join(import.meta.dirname, 'testing/exports');
const values: Readonly<Record<string, string>> = {
  BASE64_SIGNER_KEY: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  BASE64_SALT_SEPARATOR: 'Bw==',
};
const commandsOf = (guide: string) =>
  [...readFileSync(join(guides, guide), 'utf8').matchAll(/^npm run gatebook -- (import .+)$/gm)].map(
    ([, line = '']) => line,
  );
const imports = readdirSync(guides).flatMap((guide) => commandsOf(guide).map((line) => ({ guide, line })));

let operator: TestOperator;
let folder: string;
beforeAll(async () => {
  [operator, folder] = await Promise.all([openTestOperator(), mkdtemp(join(tmpdir(), 'gatebook-guides-'))]);
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true });
});

test.each(imports)('the command of $guide works: $line', async ({ line }) => {
  const deps = await composeWrite(operator, operator.config);
  const { projectId } = await createProject(deps, startContext(deps), { displayName: 'Shop', ownerUserId: newId() });
  const words = line
    .replace('PROJECT_ID', projectId)
    .replace(/ --report \S+/, '')
    .split(/\s+/);
  const command = words.map(
    (word) => values[word] ?? (/^[a-z0-9-]+\.(csv|json|ndjson)$/.test(word) ? join(exports, word) : word),
  );
  const report = join(folder, `${newId()}.json`);
  const { output, errors } = await operator.run(`${command.join(' ')} --new-ids --report ${report} --json`);
  expect(errors).not.toMatch(/unknown|required|no file/i);
  expect(JSON.parse(output).users.created).toBeGreaterThan(0);
});

test('every guide but that of lazy migration has commands', () => {
  const withCommands = new Set(imports.map(({ guide }) => guide));
  const others = readdirSync(guides).filter((guide) => !withCommands.has(guide));
  expect(others.sort()).toEqual(
    ['README.md', 'lazy-migration.md'].filter((guide) => readdirSync(guides).includes(guide)),
  );
});
