import { expect, test } from 'vitest';
import { quarantineProblems } from './problems.ts';

const quarantineOf = (projectId: string) => ({
  projectId,
  subscription: 'main',
  projectionVersion: 'main_g1',
  isLive: true,
  position: 1n,
  error: 'broken',
  isKeyLost: false,
  since: 0,
  retryAt: null,
});

test('many quarantined projects do not hide that the owners’ project is quarantined too', () => {
  const shops = Array.from({ length: 30 }, (_, n) => `shop-${n}`);
  const found = quarantineProblems({ quarantines: [...shops, 'internal'].map(quarantineOf) });
  expect(found).toHaveLength(20);
  expect(found[0]).toMatchObject({ part: 'internal', severity: 'critical' });
  expect(found.slice(1).every(({ severity }) => severity === 'warning')).toBe(true);
});
