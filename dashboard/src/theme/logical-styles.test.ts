import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** `left: 50%` is a center, not a side. */
const physical = [
  /(?<![\w-])(margin|padding|border)-(left|right)\b/,
  /^\s*(left|right):(?! 50%)/,
  /text-align: (left|right)\b/,
  /(?<![\w-])float: (left|right)\b/,
  /box-shadow: (inset )?-?[1-9]/,
];
/** `margin: top right bottom left` with different sides. */
const shorthand = /(?<![\w-])(margin|padding|inset): \S+ (\S+) \S+ (\S+);/;

const namesSides = (line: string): boolean => {
  const [, , right, left] = shorthand.exec(line) ?? [];
  return right !== left || physical.some((pattern) => pattern.test(line));
};

test('styles name the start and end of a line instead of left and right, for languages from right to left', () => {
  const files = globSync(['dashboard/src/**/*.css', 'sdk/react/src/**/*.css'], { cwd: root });
  expect(files.length).toBeGreaterThan(30);
  const found = files.flatMap((file) =>
    readFileSync(`${root}/${file}`, 'utf8')
      .split('\n')
      .flatMap((line, index) => (namesSides(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

test('properties of components do too', () => {
  const found = globSync('dashboard/src/**/*.tsx', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/\s(ml|mr|pl|pr)=/g)].map(([text]) => `${file}:${text}`),
  );
  expect(found).toEqual([]);
});
