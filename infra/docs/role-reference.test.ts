import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withRoles } from './role-reference.ts';

test('the table of docs/roles.md matches the declared routes (npm run docs updates it)', async () => {
  const page = await readFile(new URL('../../docs/roles.md', import.meta.url), 'utf8');
  expect(page).toContain('Change the role of a project member');
  expect(page).toBe(withRoles(page));
});
