import { expect, test } from 'vitest';
import { effectTexts } from '../routes/actions/effect-texts.ts';
import { germanEffects } from './effects.ts';

test('one is told from several, and each effect from English', () => {
  const time = '2026-12-31T00:00:00.000Z';
  for (const [kind, text] of Object.entries(germanEffects)) {
    for (const count of [1, 2]) {
      expect(text(count, time), kind).not.toBe(effectTexts.en[kind as keyof typeof germanEffects](count, time));
    }
  }
  expect([1, 2].map((count) => germanEffects.permission_lost(count, 'edit'))).toEqual([
    '1 Person verliert edit',
    '2 Personen verlieren edit',
  ]);
  expect([1, 2].map((count) => germanEffects.key_shown_once(count, ''))).toEqual([
    'Zeigt einen Schlüssel einmal an',
    'Zeigt 2 Schlüssel einmal an',
  ]);
  expect(germanEffects.erasure_scheduled(1, time)).toContain('bis 31.12.2026');
});
