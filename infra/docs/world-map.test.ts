import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { worldMapModule } from './world-map.ts';

test('the map of the dashboard equals the generated module (npm run docs)', async () => {
  const path = new URL('../../dashboard/src/features/metrics/world-shapes.ts', import.meta.url);
  expect(await readFile(path, 'utf8')).toBe(await worldMapModule());
});
