import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Node, nameOf, nodesIn, parseTypes } from './syntax.ts';

/** Names of the wire fields that the types of a module declare. */
export function fieldsIn(code: string): string[] {
  const names = [...nodesIn(parseTypes(code))]
    .filter(({ type }) => type === 'TSPropertySignature')
    .map(({ key }) => nameOf(key) ?? '');
  return [...new Set(names)].filter((name) => /^[a-z]+(_[a-z0-9]+)*$/.test(name));
}

/** Names that an entry exports, through modules of the same package too. */
export async function exportsOf(file: string): Promise<string[]> {
  const tree = parseTypes(await readFile(file, 'utf8'));
  const statements = (tree.body as Node[]).filter(({ type }) => type.startsWith('Export'));
  return (await Promise.all(statements.map((statement) => namesIn(statement, file)))).flat();
}

async function namesIn(statement: Node, file: string): Promise<string[]> {
  if (statement.type === 'ExportDefaultDeclaration') return ['default'];
  if (statement.type === 'ExportAllDeclaration') {
    const source = nameOf(statement.source) ?? '';
    return source.startsWith('.') ? exportsOf(await resolveTypes(file, source)) : [`* from ${source}`];
  }
  const specifiers = ((statement.specifiers ?? []) as Node[]).map(({ exported }) => nameOf(exported) ?? '');
  const declared = statement.declaration as Node | null;
  return declared === null ? specifiers : [...specifiers, ...declaredNames(declared)];
}

const declaredNames = (declared: Node): string[] =>
  ((declared.declarations as Node[] | undefined) ?? [declared]).map(({ id }) => nameOf(id) ?? '');

async function resolveTypes(file: string, source: string): Promise<string> {
  const base = join(dirname(file), source.replace(/\.js$/, ''));
  for (const candidate of [`${base}.d.ts`, join(base, 'index.d.ts'), base]) {
    if (await readFile(candidate).then(Boolean, () => false)) return candidate;
  }
  throw new Error(`${file} exports from ${source}, which has no types`);
}
