import { expect, test } from 'vitest';
import { createTranslation } from './translate-text.ts';

const translate = createTranslation({
  'Not found.': 'Nicht gefunden.',
  '{} (of {}) is missing.': '{} (von {}) fehlt.',
  cat: 'Katze',
});

test('a text is translated with its values, and values that are texts too', () => {
  expect(translate('Not found.')).toBe('Nicht gefunden.');
  expect(translate('a.b (of $& {}) is missing.')).toBe('a.b (von $& {}) fehlt.');
  expect(translate('cat (of dog) is missing.')).toBe('Katze (von dog) fehlt.');
});

test('a text without a translation stays as it is', () => {
  expect(translate('Not found')).toBe('Not found');
  expect(translate('x is missing.')).toBe('x is missing.');
});
