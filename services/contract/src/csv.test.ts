import { expect, test } from 'vitest';
import { type CsvCell, toCsvRow } from './csv.ts';

test.each<[CsvCell, string]>([
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
  ['+1', "'+1"],
  ['-1', "'-1"],
  [' -1', "' -1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\u200e@SUM(A1)', "'\u200e@SUM(A1)"],
  ['＝1+1', "'＝1+1"],
  ['\tAnn', "'\tAnn"],
  ['\r\n=1', '"\'\r\n\'=1"'],
  ['Ann;=1+1', "Ann;'=1+1"],
  ['Ann\n=1+1', '"Ann\n\'=1+1"'],
  ['=1;=2', "'=1;'=2"],
  ['a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['\u202e=1', '\\u202e=1'],
  ['Ann-Marie = “A”; Bo', 'Ann-Marie = “A”; Bo'],
  ['Bo, "the cook"', '"Bo, ""the cook"""'],
  [-1.5, '-1.5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
])('%j is the cell %s (#20 check 9)', (value, cell) => {
  expect(toCsvRow([value, 'next'])).toBe(`${cell},next\r\n`);
});
