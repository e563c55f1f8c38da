import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(`${source}/${file}`, 'utf8');
const stylesFolder = new URL('styles/', import.meta.resolve('@mantine/core/styles.css'));

test('the styles of every Mantine component in use are loaded', () => {
  const imports = globSync('**/*.tsx', { cwd: source })
    .flatMap((file) => [...read(file).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)])
    .flatMap(([, names]) => (names ?? '').split(',').map((name) => name.trim()));
  const used = [...new Set(imports)].filter((name) => existsSync(new URL(`${name}.layer.css`, stylesFolder)));
  const loaded = [...read('theme/mantine-styles.ts').matchAll(/styles\/(\w+)\.layer\.css/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !loaded.includes(name))).toEqual([]);
});
