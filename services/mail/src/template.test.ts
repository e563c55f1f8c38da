import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpolate, interpolateToString } from './template.ts';

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
])('the template %s renders as %s', (text, expected) =>
  expect(interpolateToString(text, variables, known)).toBe(expected),
);

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
])('the unsupported template %s is returned unchanged', (text) =>
  expect(interpolateToString(text, variables, known)).toBe(text),
);

test('interpolation distinguishes values from literal text', () => {
  expect(interpolate('a {{ otp }}', variables, known)).toEqual([
    { kind: 'literal', text: 'a ' },
    { kind: 'value', name: 'otp', text: 'ABC123' },
  ]);
});

test('interpolation never throws, never evaluates values and keeps texts without braces', () => {
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
      expect(interpolateToString(written, variables, known)).toEqual(expect.any(String));
      expect(interpolateToString('{{ otp }}', { otp: value }, known)).toBe(value);
      // In Handlebars, a backslash escapes a brace.
      if (!written.includes('{{')) expect(interpolateToString(written, variables, known)).toBe(written);
    }),
    { numRuns: 1000 },
  );
});
