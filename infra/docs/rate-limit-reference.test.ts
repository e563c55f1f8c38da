import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withRateLimits } from './rate-limit-reference.ts';

test('the table of docs/rate-limits.md matches the declared routes (npm run docs updates it)', async () => {
  const page = await readFile(new URL('../../docs/rate-limits.md', import.meta.url), 'utf8');
  expect(page).toContain('Sign in with email and password');
  expect(page).toBe(withRateLimits(page));
});
