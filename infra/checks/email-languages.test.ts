import { languageOf, languages } from '@gatebook/domain/email/languages';
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
  // In the pages, English is no translation.
  const expected = pages.languageOf(tag) ?? (tag.startsWith('en') ? 'en-US' : null);
  expect(languageOf(tag)).toBe(expected);
});
