import { expect, test } from 'vitest';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();

const hash = '$2b$04$n7sXkQ6w3gUoZJ7r3tU8eOJ0KZ8m7mB2m5t2gq2kQvJfD9k8wS3yG';
const rows = [
  { line: 2, value: { id: 'a', email: 'ann@import.example', email_verified: 'true', display_name: 'Ann' } },
  { line: 3, value: { id: 'b', email: 'bob@import.example', password_hash: hash } },
  { line: 4, value: { id: 'c', email: 'ann@import.example' } },
  { line: 5, value: { email: 'no address' } },
  { line: 6, value: 'text' },
];
const importRows = (body: object) => send('POST', '/internal/imports/users', { access: 'admin', body });
const outcomes = ({ body }: { body: { items: { line: number; outcome: string; problems: { reason: string }[] }[] } }) =>
  body.items.map(({ line, outcome, problems }) => [line, outcome, ...problems.map(({ reason }) => reason)]);
const findAnn = async () =>
  (await send('GET', '/users?query=ann@import.example', { access: 'server' })).body.items as object[];

const expected = [
  [2, 'created'],
  [3, 'created'],
  [4, 'rejected', 'email_in_use'],
  [5, 'rejected', 'invalid'],
  [6, 'rejected', 'malformed'],
];

test('a dry run says what would become of each row, and writes nothing', async () => {
  const answer = await importRows({ source: 'csv', rows, is_dry_run: true });
  expect(answer.status).toBe(200);
  expect(outcomes(answer)).toEqual(expected);
  expect(await findAnn()).toEqual([]);
});

test('imports users, and leaves them as they are the second time', async () => {
  expect(outcomes(await importRows({ source: 'csv', rows }))).toEqual(expected);
  expect(await findAnn()).toMatchObject([{ display_name: 'Ann', primary_email_verified: true }]);
  expect(outcomes(await importRows({ source: 'csv', rows })).slice(0, 2)).toEqual([
    [2, 'existing'],
    [3, 'existing'],
  ]);
});

test('only admins import', async () => {
  const body = { source: 'csv', rows };
  expect((await send('POST', '/internal/imports/users', { access: 'server', body })).status).toBe(401);
});

test('a rejected row does not repeat its password hash', async () => {
  const value = { id: 'd', email: 'dan@import.example', password_hash: hash, pass: hash };
  const answer = await importRows({ source: 'csv', rows: [{ line: 2, value }] });
  expect(outcomes(answer)).toEqual([[2, 'rejected', 'invalid']]);
  expect(JSON.stringify(answer.body)).not.toContain(hash);
});
