import { expect, test } from 'vitest';
import { isTemporary } from './temporary.ts';

const responseOfRedis = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

test.each([
  "OOM command not allowed when used memory > 'maxmemory'. script: 1f, on @user_script:43.",
  "ERR Error running script (call to f_1): @user_script:43: -OOM command not allowed when used memory > 'maxmemory'.",
  "READONLY You can't write against a read only replica.",
  'LOADING Redis is loading the dataset in memory',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'NOAUTH Authentication required.',
])('a Redis that accepts no command is a temporary failure: %s', (message) => {
  expect(isTemporary(responseOfRedis(message))).toBe(true);
  expect(isTemporary(new Error('could not add the job', { cause: responseOfRedis(message) }))).toBe(true);
});

test('a command that Redis rejects, and an error with such a message, are not temporary', () => {
  expect(isTemporary(responseOfRedis('WRONGTYPE Operation against a key holding the wrong kind of value'))).toBe(false);
  expect(isTemporary(responseOfRedis('BUSYGROUP Consumer Group name already exists'))).toBe(false);
  expect(isTemporary(new Error('LOADING the module failed'))).toBe(false);
});

test('a database that accepts no writes now is a temporary failure, a rejected row is not', () => {
  const fromPostgres = (code: string) => Object.assign(new Error('rejected'), { code });
  for (const code of ['25006', '57P03', '53100', '40001', '55P03']) expect(isTemporary(fromPostgres(code))).toBe(true);
  for (const code of ['23505', '22003', '25P02']) expect(isTemporary(fromPostgres(code))).toBe(false);
});
