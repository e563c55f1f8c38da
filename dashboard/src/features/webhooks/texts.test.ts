import { expect, test } from 'vitest';
import { durationText, matchesText, noResponseText, problemOf, rateText, statusOf, webhooksHref } from './texts.ts';

test('a rate below 1 is never shown as 100%', () => {
  expect([1, 0.9999, 0.5, 0, null].map(rateText)).toEqual(['100%', '99.9%', '50.0%', '0%', '–']);
});

test('durations are in milliseconds up to one second', () => {
  expect([12, 999, 1_540, null].map(durationText)).toEqual(['12 ms', '999 ms', '1.5 s', '–']);
});

const enabled = { isEnabled: true, disabledReason: null, failingSince: null };

test('an endpoint that was disabled by Gatebook says why, one that its owner disabled does not', () => {
  expect(statusOf(enabled)).toEqual({ tone: 'good', text: 'Enabled' });
  expect(problemOf(enabled)).toBeNull();
  expect(statusOf({ ...enabled, failingSince: new Date(0) }).text).toBe('Failing');
  const disabled = { isEnabled: false, failingSince: null };
  expect(problemOf({ ...disabled, disabledReason: 'manual' })).toBeNull();
  expect(problemOf({ ...disabled, disabledReason: 'gone' })).toContain('410');
  expect(statusOf({ ...disabled, disabledReason: 'failing' }).tone).toBe('bad');
});

test('a replay that was not counted to its end says so', () => {
  expect(matchesText({ matched: 1, isExact: true })).toBe('1 event');
  expect(matchesText({ matched: 1_500, isExact: false })).toBe('1,500 or more events');
});

test('paths of endpoints and deliveries are below the list', () => {
  expect(webhooksHref('p')).toBe('/projects/p/webhooks');
  expect(webhooksHref('p', 'e', 'd')).toBe('/projects/p/webhooks/e/deliveries/d');
});

test('an attempt without a response says why, also with a code that is not known yet', () => {
  expect(noResponseText('unreachable')).toBe('No response: the server could not be reached');
  expect(noResponseText('new_code')).toBe('No response: new_code');
  expect(noResponseText(null)).toBe('No response: unknown');
});
