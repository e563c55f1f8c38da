import { EmailType } from '@gatebook/domain/email/events';
import { languages } from '@gatebook/domain/email/languages';
import { describe, expect, test } from 'vitest';
import { listContentErrors } from './content.ts';
import { defaultTemplate } from './defaults.ts';
import { english } from './english.ts';
import { renderEmail } from './render.ts';
import { textsOf } from './texts.ts';
import { sampleVariables, variableNames } from './variables.ts';

type Tree = { readonly [name: string]: string | Tree };

/** Texts by their path. */
const flatten = (texts: Tree, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' ? [[`${path}${name}`, text]] : flatten(text, `${path}${name}.`),
  );
const placeholders = (text: string) => [...new Set(text.match(/\{\{[#/]?(?:if )?\s*\w+\s*\}\}/g))].toSorted();
/** A language may need another text where a name is missing. */
const withoutElse = (text: string) => placeholders(text).filter((name) => name !== '{{else}}');
const others = languages.filter((language) => language !== 'en-US');

describe.each(others)('emails in %s', (language) => {
  const expected = flatten(english);
  const translated = new Map(flatten(textsOf(language)));

  test('have each text, and no other', () => {
    expect([...translated.keys()].toSorted()).toEqual(expected.map(([path]) => path).toSorted());
  });

  test.each(expected)('say %s in the language, with the same placeholders', (path, text) => {
    const translation = translated.get(path) ?? '';
    expect(translation.trim()).not.toBe('');
    expect(translation).not.toBe(text);
    expect(withoutElse(translation)).toEqual(withoutElse(text));
  });

  test.each(EmailType.options)('render without leftover variables and markup: %s', async (type) => {
    const template = defaultTemplate(type, language);
    expect(listContentErrors(template.content)).toEqual([]);
    const { happenedAt, ...samples } = sampleVariables(type);
    const rendering = { template, known: variableNames[type] };
    for (const variables of [{ ...samples, ...(happenedAt && { happenedAt }) }, {}]) {
      const { subject, html, text } = await renderEmail({ ...rendering, variables });
      expect(`${subject}${html}${text}`).not.toMatch(/\{\{|\*\*/);
      expect(html).toContain(`lang="${language}"`);
    }
  });
});

test.each([
  ['en-US', 'March 2, 2026 at 14:05 UTC'],
  ['de-DE', '2. März 2026 um 14:05 UTC'],
  ['fr-FR', '2 mars 2026 à 14:05 UTC'],
  ['ja-JP', '2026年3月2日 14:05 UTC'],
] as const)('times are written in the language: %s', async (language, expected) => {
  const known = variableNames.new_device_sign_in;
  const template = defaultTemplate('new_device_sign_in', language);
  const render = (happenedAt: string) =>
    renderEmail({ template, variables: { ...sampleVariables('new_device_sign_in'), happenedAt }, known });
  expect((await render('2026-03-02T14:05:00.000Z')).text).toContain(expected);
  // Requested by a former release.
  expect((await render('March 2, 2026 at 14:05 UTC')).text).toContain('March 2, 2026 at 14:05 UTC');
});
