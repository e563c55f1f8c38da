import { test } from 'vitest';
import { given } from '../spec.ts';
import { requestDecider } from './decide.ts';
import type { RequestEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const dayLater = '2026-01-16T12:00:00.000Z';
const afterThat = '2026-01-16T12:00:00.001Z';
const by = (requestId: string, when = at) => ({ type: 'RecordDecision', requestId, at: when }) as const;
const decided = (requestId: string, when = at): RequestEvent => ({
  type: 'RequestDecided',
  data: { requestId, at: when },
});

test('the decision of a request is recorded', () => given(requestDecider).when(by('a')).then(decided('a')));
test('the decision of a request is recorded once, however often it appends', () =>
  given(requestDecider, decided('a')).when(by('a')).then());
test('another request with the same key is rejected for a day', () => {
  given(requestDecider, decided('a')).when(by('b')).thenRejected('RESPONSE_LOST');
  given(requestDecider, decided('a')).when(by('b', dayLater)).thenRejected('RESPONSE_LOST');
});
test('an idempotency key can be reused after a day', () => {
  given(requestDecider, decided('a')).when(by('b', afterThat)).then(decided('b', afterThat));
  given(requestDecider, decided('a'), decided('b', afterThat)).when(by('c', afterThat)).thenRejected('RESPONSE_LOST');
});
