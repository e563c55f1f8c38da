import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';

const dashboard = fileURLToPath(new URL('../../dashboard', import.meta.url));
const config = getConfig({ cwd: dashboard });

/** Attributes whose values people read. */
const readAttributes = [
  'title',
  'label',
  'aria-label',
  'description',
  'placeholder',
  'confirmLabel',
  'submitLabel',
  'lead',
  'empty',
  'note',
  'question',
  'alt',
];

type Node = { type: string; start: number; [key: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Texts in JSX that stand outside `<Trans>`, and attributes that are plain English. */
function findUntranslated(node: Node): string[] {
  if (node.type === 'JSXElement' && nameOf((node.openingElement as Node).name) === 'Trans') return [];
  if (node.type === 'JSXText') return isText(node.value) ? [String(node.value).trim()] : [];
  if (node.type === 'JSXAttribute' && readAttributes.includes(nameOf(node.name))) {
    const { value } = node as { value?: Node | null };
    if (value?.type === 'Literal' && isText(value.value)) return [`${nameOf(node.name)}="${value.value}"`];
  }
  return Object.values(node).flat().filter(isNode).flatMap(findUntranslated);
}

const nameOf = (node: unknown): string => (isNode(node) ? String(node.name) : '');
/** Two letters in a row, so not an ellipsis, a sign or a unit. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && /\p{L}{2}/u.test(value) && !/^https:|@|example\.com$/.test(value) && !names.has(value);
/** The same in all languages. */
const names = new Set(['curl', 'edit_posts', 'ID', 'standardwebhooks', 'svix', 'URL']);

describe('translations of the dashboard', () => {
  test('exist for each message, and no others (npm run texts)', async () => {
    const [catalog] = await getCatalogs(config);
    const messages = Object.keys((await catalog?.collect()) ?? {});
    expect(messages.length).toBeGreaterThan(1_000);
    for (const locale of config.locales) {
      const translated = Object.entries((await catalog?.read(locale)) ?? {});
      expect(translated.filter(([, { translation }]) => !translation).map(([, { message }]) => message)).toEqual([]);
      expect(translated.map(([id]) => id).sort()).toEqual(messages.sort());
    }
  });

  test('keep the values of each message', async () => {
    const [catalog] = await getCatalogs(config);
    for (const locale of config.locales) {
      for (const { message = '', translation = '' } of Object.values((await catalog?.read(locale)) ?? {})) {
        expect({ message, values: valuesOf(translation) }).toEqual({ message, values: valuesOf(message) });
      }
    }
  });

  test('are asked for by all texts in components', async () => {
    const files = (await readdir(`${dashboard}/src`, { recursive: true })).filter(
      (file) => file.endsWith('.tsx') && !/\.test\.|^testing/.test(file) && !untranslatedFiles.includes(file),
    );
    const found: Record<string, string[]> = {};
    for (const file of files) {
      const texts = findUntranslated(
        parseAst(await readFile(`${dashboard}/src/${file}`, 'utf8'), { lang: 'tsx' }) as unknown as Node,
      );
      if (texts.length > 0) found[file] = texts;
    }
    expect(found).toEqual({});
  });
});

/** The sign-in pages have their own translations: the dashboard's catalog would be too large for them. */
const untranslatedFiles = ['handler/mark.tsx', 'handler/english-texts.tsx', 'languages/handler-de.tsx'];

/** The names of values and the numbers of elements in a message. */
function valuesOf(message: string): string[] {
  const values = (token: unknown): string[] => {
    if (typeof token === 'string') return [...token.matchAll(/<\d+\/?>/g)].map(([tag]) => tag);
    if (!Array.isArray(token)) return Object.values(token ?? {}).flatMap(values);
    return token.flatMap((part: unknown) =>
      Array.isArray(part) ? [String(part[0]), ...part.slice(2).flatMap(values)] : values(part),
    );
  };
  return [...new Set(values(compileMessage(message)))].sort();
}
