import { rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { quotaNames } from '@gatebook/domain/project/quotas';
import { projectRoles } from '@gatebook/domain/project/roles';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ErrorFacts, OtherError } from '../http/english-errors.ts';
import { errorText, otherErrorText } from '../http/error-texts.ts';
import { germanOtherErrors } from './errors.ts';

const codes = Object.keys(rejections) as DomainErrorCode[];

/** Has each fact that is read, except those for German texts only. */
const factsOf = (fill: (name: string) => unknown): ErrorFacts =>
  new Proxy({}, { get: (_, name: string) => (/inGerman$/i.test(name) ? undefined : fill(name)) });
const july = Date.parse('2026-07-01T00:00:00.000Z');
const facts = [
  factsOf((name) => `‹${name.replaceAll('_', '')}›`),
  factsOf((name) => july + name.length * 86_400_000),
  factsOf(() => true),
  factsOf(() => null),
];

/** What has to be the same in each language: values, numbers, names of fields and headers. */
const factsIn = (text: string) =>
  (text.match(/‹\w+›|\d[\d:.TZ-]*\d|\d+|\w+_\w+|x-stack(-\w+)+|`[^`]+`/g) ?? []).toSorted();

/** Say what the tests of faults know. */
const ofFaults: readonly DomainErrorCode[] = ['SCHEMA_ERROR', 'BODY_PARSING_ERROR'];

test.each(codes.filter((code) => !ofFaults.includes(code)))('%s is in German, with the same facts', (code) => {
  for (const given of facts) {
    const [english, german] = [errorText('en', code, given), errorText('de', code, given)];
    expect(german).not.toBe(english);
    expect(german).not.toMatch(/undefined|\[object/);
    expect(factsIn(german)).toEqual(factsIn(english));
  }
});

const reasonsOf = (code: 'EVENT_CURSOR_INVALID' | 'WEBHOOK_URL_NOT_ALLOWED') => {
  const rejection = rejections[code];
  const reason = 'details' in rejection ? rejection.details?.shape.reason : undefined;
  return reason instanceof z.ZodEnum ? reason.options : [];
};

test.each([
  ['EVENT_CURSOR_INVALID', 'reason', reasonsOf('EVENT_CURSOR_INVALID')],
  ['WEBHOOK_URL_NOT_ALLOWED', 'reason', reasonsOf('WEBHOOK_URL_NOT_ALLOWED')],
  ['QUOTA_EXCEEDED', 'quota', quotaNames],
  ['PROJECT_ROLE_REQUIRED', 'required_role', projectRoles],
] as const)('%s has another German text for each %s', (code, name, values) => {
  expect(values.length).toBeGreaterThan(1);
  const texts = values.map((value) => {
    const given = { role: 'support', limit: 3, [name]: value };
    const [english, german] = [errorText('en', code, given), errorText('de', code, given)];
    expect(german).not.toBe(english);
    expect(factsIn(german)).toEqual(factsIn(english));
    return german;
  });
  expect(new Set([...texts, errorText('de', code, {})]).size).toBe(values.length + 1);
});

test('the reasons why an action can’t be undone are in German', () => {
  const reasons = ['Ended sessions stay ended.', 'A reason of another release.'];
  expect(errorText('de', 'ACTION_NOT_REVERSIBLE', { reasons })).toBe(
    'Diese Aktion kann nicht rückgängig gemacht werden. Beendete Sitzungen bleiben beendet. A reason of another release.',
  );
});

test.each(Object.keys(germanOtherErrors) as OtherError[])('%s is in German', (error) => {
  const given = { requestId: '‹id›' };
  const [english, german] = [otherErrorText('en', error, given), otherErrorText('de', error, given)];
  expect(german).not.toBe(english);
  expect(factsIn(german)).toEqual(factsIn(english));
});
