import { expect, test } from 'vitest';
import { sampleUser } from '../../testing/samples.ts';
import { headOf, recordOf } from './user-records.ts';

const cellOf = (displayName: string): string | undefined =>
  /^[^,]*,("(?:[^"]|"")*"|[^,]*),/.exec(recordOf(sampleUser({ displayName }), 'csv'))?.[1];

test('a name is not a formula', () => {
  expect(cellOf('Ann;=1+1')).toBe("Ann;'=1+1");
});

test('spreadsheets are told that the file is UTF-8', () => {
  expect(headOf('csv')).toMatch(/^\ufeffid,name,email,/);
  expect(headOf('jsonl')).toBe('');
});
