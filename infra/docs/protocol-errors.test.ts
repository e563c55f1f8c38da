import { readFile } from 'node:fs/promises';
import { knownErrors } from '@gatebook/contract/errors';
import { expect, test } from 'vitest';

const page = await readFile(new URL('../../docs/protocol/errors.md', import.meta.url), 'utf8');

/** Rows of the catalog: code, status and details, as `request_type s, expired_at_millis n|null`. */
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| ((?:[^|\n]|\\\|)*?) \|/gm)].map(
  ([, code = '', status, details = '']) => ({ code, status: Number(status), details: detailsIn(details) }),
);

function detailsIn(cell: string): string[] {
  if (cell.startsWith('none')) return [];
  const withoutRemarks = cell.replace(/\([^)]*\)/g, '');
  return withoutRemarks.split(', ').map((detail) => detail.trim().split(' ')[0] ?? '');
}

test('the catalog of known errors on the protocol page equals the contract', () => {
  const byCode = (one: { code: string }, other: { code: string }) => one.code.localeCompare(other.code);
  const expected = Object.entries(knownErrors).map(([code, { status, details }]) => ({
    code,
    status,
    details: Object.keys(details?.shape ?? {}),
  }));
  expect(rows.toSorted(byCode)).toEqual(expected.toSorted(byCode));
});
