import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonPasswordText, emailFault, errorText, newPasswordFault } from '@gatebook/js/core';
import { AnswerError, ConnectionError, KnownError } from '@gatebook/js/errors';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { languages, loadTranslation } from './languages.ts';
import { texts } from './texts.ts';

const known = new Set<string>(texts);
const root = fileURLToPath(new URL('../', import.meta.url));
const sourcesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true }))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|testing\/|^texts\//.test(file))
    .map((file) => join(folder, file));

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

describe.each(languages)('the translation %s', (language) => {
  test('has each text once, with the same places', async () => {
    const translation = await loadTranslation(language);
    expect(Object.keys(translation).sort()).toEqual([...texts].sort());
    for (const [text, translated] of Object.entries(translation)) {
      expect(translated.trim(), text).not.toBe('');
      expect(placesOf(translated), text).toEqual(placesOf(text));
    }
  });

  test('is not a copy of the English texts', async () => {
    const long = Object.entries(await loadTranslation(language)).filter(([text]) => text.length > 20);
    expect(long.filter(([text, translated]) => text === translated)).toEqual([]);
  });
});

test('each text is in a component, or in what @gatebook/js says about errors', async () => {
  const files = [...(await sourcesIn(root)), ...(await sourcesIn(join(root, '../../js/src')))];
  const code = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  expect(texts.filter((text) => !code.includes(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test('what @gatebook/js says about errors and input is among the texts', () => {
  const said: string[] = [];
  const collect = (text: string) => {
    said.push(text);
    return text;
  };
  const errors = [
    new ConnectionError(true, {}, null),
    new ConnectionError(false, {}, null),
    new KnownError('USER_AUTHENTICATION_REQUIRED', 401, 'x'),
    new AnswerError('u', 503, ''),
    new AnswerError('u', 500, ''),
    new AnswerError('u', 500, '', 'request-1'),
    null,
  ];
  for (const error of errors) errorText(error, collect);
  for (const password of ['short', 'x'.repeat(71)]) newPasswordFault(password, 8, collect);
  said.push(emailFault('ann') ?? '');
  expect([...said, commonPasswordText].filter((text) => !known.has(text))).toEqual([]);
  expect(said).toHaveLength(errors.length + 3);
});

test('components have no text that is not translated', async () => {
  const faults: string[] = [];
  for (const file of await sourcesIn(root)) {
    if (!file.endsWith('.tsx')) continue;
    const tree = parseAst(await readFile(file, 'utf8'), { lang: 'tsx' }) as unknown as Node;
    faults.push(...literalTexts(tree).map((text) => `${file.slice(root.length)}: ${text}`));
  }
  expect(faults).toEqual([]);
});

test('the search for texts that are not translated finds them', () => {
  const code = `
    const Page = () => (
      <Card title="Sign in" name={isOn ? 'Home' : t('Back')} className="not a text" lead={\`Hello \${name}\`}>
        Some words {t('Sign up')}
      </Card>
    );`;
  expect(literalTexts(parseAst(code, { lang: 'tsx' }) as unknown as Node)).toEqual([
    'Sign in',
    'Home',
    'Hello ',
    'Some words',
  ]);
});

type Node = { type: string; [property: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** Attributes that are not for people. */
const technical = ['className', 'autoComplete', 'href', 'd', 'viewBox', 'style', 'transform', 'id', 'type'];

/** Words in the elements of a component that do not go through `useTexts`. */
function literalTexts(node: Node, isShown = false): string[] {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression':
      return childrenOf(node).flatMap((child) => literalTexts(child, false));
    case 'JSXText': {
      const words = String(node.value).trim();
      return /\p{L}/u.test(words) ? [words] : [];
    }
    case 'JSXAttribute': {
      const { name } = node.name as { name: unknown };
      return technical.includes(String(name)) ? [] : childrenOf(node).flatMap((child) => literalTexts(child, true));
    }
    case 'Literal':
      return isShown && typeof node.value === 'string' && isText(node.value) ? [node.value] : [];
    case 'TemplateElement': {
      const { cooked } = node.value as { cooked: string };
      return isShown && isText(cooked) ? [cooked] : [];
    }
    case 'BinaryExpression':
    case 'MemberExpression':
      return [];
    case 'JSXExpressionContainer':
      return childrenOf(node).flatMap((child) => literalTexts(child, true));
    default:
      return childrenOf(node).flatMap((child) => literalTexts(child, isShown && !node.type.startsWith('JSX')));
  }
}

/** `Sign in` or `this provider`, but neither `sign-in` nor `gbh-button`. */
const isText = (value: string): boolean =>
  known.has(value) || /^\p{Lu}\p{Ll}/u.test(value) || /\p{L} \p{L}/u.test(value);
