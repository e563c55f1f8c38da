import { expect, test } from 'vitest';
import { sampleUser } from '../../testing/samples.ts';
import { headOf, recordOf } from './user-records.ts';

const cellOf = (displayName: string): string | undefined =>
  /^[^,]*,("(?:[^"]|"")*"|[^,]*),/.exec(recordOf(sampleUser({ displayName }), 'csv'))?.[1];

test.each([
  ['=1+1', "'=1+1"],
  [' -1', "' -1"],
  ['\u200e@SUM(A1)', "'\u200e@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['\tAnn', "'\tAnn"],
  ['Ann;=1+1', "Ann;'=1+1"],
  ['Ann\n=1+1', '"Ann\n\'=1+1"'],
  ['=1;=2', "'=1;'=2"],
  ['Ann-Marie = “A”; Bo', 'Ann-Marie = “A”; Bo'],
  ['Bo, "the cook"', '"Bo, ""the cook"""'],
])('the name %j is the cell %j', (name, cell) => {
  expect(cellOf(name)).toBe(cell);
});

test('spreadsheets are told that the file is UTF-8', () => {
  expect(headOf('csv')).toMatch(/^\ufeffid,name,email,/);
  expect(headOf('jsonl')).toBe('');
});
