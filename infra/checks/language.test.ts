import { describe, expect, test } from 'vitest';
import { checkAll, type Finding, findBannedWords, findLongComments, summarize, terms } from './language.ts';

const describeFindings = (findings: readonly Finding[]) =>
  findings.map(({ file, line, term, text }) => `${file}:${line} (${term}): ${text.slice(0, 160)}`);

describe('the language of the project', () => {
  test('no file has a banned word; docs/glossary.md has the standard terms', async () => {
    const findings = await checkAll(findBannedWords);
    expect(describeFindings(findings), summarize(findings).join('\n')).toEqual([]);
  });

  test('no comment is longer than 120 columns', async () => {
    const findings = await checkAll(findLongComments);
    expect(describeFindings(findings), summarize(findings).join('\n')).toEqual([]);
  });

  test.each([
    ['const wording = 1;', ['wording']],
    ['select has_leftovers from t -- Whoever', ['whoever', 'leftovers']],
    ['function isRefused() {}', ['refused']],
    ['The E-Mail field', ['e-mail']],
    ['the row is held against the log', ['held against']],
    ['connection refused (ECONNREFUSED)', []],
    ["reply.header('x-read-model', 'behind')", []],
    ['Gatebook runs behind a proxy', []],
    ['{ overflow: hidden; grid-auto-flow: row }', []],
  ])('the check of banned words finds in "%s": %j', (text, expected) => {
    const found = findBannedWords('services/api/src/example.ts', text).map(({ term }) => term);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  test('each exception gives a reason and narrows the files or lines', () => {
    for (const { file, line, reason } of terms.flatMap(({ except = [] }) => except)) {
      expect(reason.length).toBeGreaterThan(2);
      expect(file ?? line).toBeDefined();
    }
  });
});
