import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpolate, interpolated } from './template.ts';

const known = ['otp', 'userDisplayName'];
const variables = { otp: 'ABC123', userDisplayName: 'Ann' };

test.each([
  ['{{ otp }}', 'ABC123'],
  ['a {{~ otp ~}} b', 'aABC123b'],
  ['{{#if otp}}yes{{else}}no{{/if}}', 'yes'],
  ['{{#if userDisplayName}}{{#if otp}}both{{/if}}{{/if}}', 'both'],
  ['\\{{ otp }}', '{{ otp }}'],
  ['{{! a note }}x', 'x'],
  ['a { b } c', 'a { b } c'],
])('%s says %s', (text, said) => expect(interpolated(text, variables, known)).toBe(said));

test.each([
  '{{ unknown }}',
  '{{ toString }}',
  '{{ constructor }}',
  '{{ __proto__ }}',
  '{{ otp.constructor }}',
  '{{ "otp" }}',
  '{{ 1 }}',
  '{{ ../otp }}',
  '{{ this.otp }}',
  '{{ @root.otp }}',
  '{{& otp }}',
  '{{{ otp }}}',
  '{{ otp otp }}',
  '{{ otp x=1 }}',
  '{{ (otp) }}',
  '{{#if (otp)}}x{{/if}}',
  '{{#if otp as |x|}}x{{/if}}',
  '{{#if otp}}x{{else}}{{> partial }}{{/if}}',
  '{{#if otp}}x{{else}}{{ unknown }}{{/if}}',
  '{{#with otp}}x{{/with}}',
  '{{#> layout }}x{{/layout}}',
  '{{#*inline "x"}}x{{/inline}}',
  '{{* otp }}',
  `${'{{#if otp}}'.repeat(20)}x${'{{/if}}'.repeat(20)}`,
])('%s is no template and stands as it is', (text) => expect(interpolated(text, variables, known)).toBe(text));

test('values are told from what was written', () => {
  expect(interpolate('a {{ otp }}', variables, known)).toEqual([
    { kind: 'written', text: 'a ' },
    { kind: 'value', name: 'otp', text: 'ABC123' },
  ]);
});

test('no text makes it throw, a value is never read as a template, a text without braces is left alone', () => {
  const bits = fc.constantFrom(
    '{{',
    '}}',
    '{{#if otp}}',
    '{{/if}}',
    '{{else}}',
    'otp',
    ' ',
    '\n',
    '\\',
    '~',
    '"',
    'x',
    '|',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(bits).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, text, (written, value) => {
      expect(interpolated(written, variables, known)).toEqual(expect.any(String));
      expect(interpolated('{{ otp }}', { otp: value }, known)).toBe(value);
      // A backslash before a brace is Handlebars' way to write a brace.
      if (!written.includes('{{')) expect(interpolated(written, variables, known)).toBe(written);
    }),
    { numRuns: 1000 },
  );
});
