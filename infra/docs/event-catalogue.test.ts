import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventCatalogue } from './event-catalogue.ts';

test('docs/events.md describes the events of today (npm run docs renews it)', async () => {
  expect(await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventCatalogue());
});
