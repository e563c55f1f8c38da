import { test } from 'vitest';
import { given } from '../spec.ts';
import { requestDecider } from './decide.ts';

const at = '2026-01-15T12:00:00.000Z';

test('a request is decided once', () => {
  const decided = { type: 'RequestDecided', data: { at } } as const;
  given(requestDecider).when({ type: 'RecordDecision', at }).then(decided);
  given(requestDecider, decided).when({ type: 'RecordDecision', at }).then();
});
