import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventCatalog } from './event-catalog.ts';

test('docs/events.md equals the generated page (npm run docs)', async () => {
  expect(await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventCatalog());
});
