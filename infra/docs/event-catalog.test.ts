import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventCatalog } from './event-catalog.ts';

test('docs/events.md describes the events of today (npm run docs renews it)', async () => {
  expect(await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventCatalog());
});
