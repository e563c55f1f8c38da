import { expect, test } from 'vitest';
import { preferredLanguageOf, textLanguageOf } from './accept-language.ts';

test.each([
  [undefined, null],
  ['', null],
  ['*', null],
  ['tlh', null],
  ['de-CH, en;q=0.5', 'de-DE'],
  ['en;q=0.5, de-CH', 'de-DE'],
  ['nl, fr;q=0.9, en;q=0.8', 'fr-FR'],
  ['en-GB,de;q=0.9', 'en-US'],
  ['fr-CA', 'fr-CA'],
  ['pt', 'pt-BR'],
  ['pt-pt', 'pt-PT'],
  ['zh-Hant-HK', 'zh-TW'],
  ['zh', 'zh-CN'],
  ['de;q=0, it', 'it-IT'],
  ['de;q=9, it;q=0.1', 'it-IT'],
  ['de ; q=0.4 , ko;Q=0.7', 'ko-KR'],
  ['__proto__, constructor-x, ja', 'ja-JP'],
])('"%s" asks for emails in %s', (header, expected) => {
  expect(preferredLanguageOf(header)).toBe(expected);
});

test('only the first languages of a long header are read', () => {
  expect(preferredLanguageOf(`${'x,'.repeat(19)}de`)).toBe('de-DE');
  expect(preferredLanguageOf(`${'x,'.repeat(20)}de`)).toBeNull();
});

test.each([
  [undefined, 'en'],
  ['*', 'en'],
  ['fr-CH, it;q=0.5', 'en'],
  ['de', 'de'],
  ['de-AT,en;q=0.9', 'de'],
  ['en-GB,de;q=0.9', 'en'],
  ['fr, DE;q=0.5, en;q=0.4', 'de'],
  ['de;q=0, en', 'en'],
  ['den', 'en'],
])('"%s" asks for sentences in %s', (header, expected) => {
  expect(textLanguageOf(header)).toBe(expected);
});
