import { readFile } from 'node:fs/promises';
import { germanLanguageNames } from '@gatebook/api/german/audit-texts';
import { languageNames, languageOf, languages } from '@gatebook/domain/email/languages';
import { expect, test } from 'vitest';
import * as pages from '../../sdk/react/src/texts/languages.ts';

const others = [
  'en',
  'en-GB',
  'de',
  'de-CH',
  'fr',
  'fr-BE',
  'pt',
  'pt-AO',
  'zh',
  'zh-Hant',
  'zh-HK',
  'zh-Hans-SG',
  'es-MX',
  'nl',
  '',
];

test('emails exist in the languages of the sign-in pages', () => {
  expect(languages.filter((language) => language !== 'en-US')).toEqual(pages.languages);
});

test.each([...languages, ...others])('an email for "%s" is in the language of the pages', (tag) => {
  // In the pages, English is not a translation.
  const expected = pages.languageOf(tag) ?? (tag.startsWith('en') ? 'en-US' : null);
  expect(languageOf(tag)).toBe(expected);
});

test('the audit log calls languages as the menus of the dashboard do', async () => {
  const [menu, translations] = await Promise.all(
    ['features/emails/languages.ts', 'languages/de.po'].map((path) =>
      readFile(new URL(`../../dashboard/src/${path}`, import.meta.url), 'utf8'),
    ),
  );
  const english = [...(menu ?? '').matchAll(/'(\w+-\w+)': t`(.+)`/g)].map(([, tag, name]) => [tag, name] as const);
  expect(Object.fromEntries(english)).toEqual(languageNames);
  const translated = new Map(
    [...(translations ?? '').matchAll(/^msgid "(.+)"\nmsgstr "(.+)"$/gm)].map(([, key, text]) => [key, text]),
  );
  expect(Object.fromEntries(english.map(([tag, name]) => [tag, translated.get(name)]))).toEqual(germanLanguageNames);
});
