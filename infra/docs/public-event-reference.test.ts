import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { publicEventReference } from './public-event-reference.ts';

test('docs/public-events.md equals the generated page (npm run docs)', async () => {
  expect(await readFile(new URL('../../docs/public-events.md', import.meta.url), 'utf8')).toBe(publicEventReference());
});
