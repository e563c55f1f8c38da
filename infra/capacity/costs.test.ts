import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Costs } from '../bench/bench.ts';
import { replaceSection } from '../bench/document.ts';
import { toCostTable } from './costs.ts';
import { costRows, growthTable, machineTable } from './tables.ts';

const measured: Costs = {
  requests: {
    'users/me': { processMs: 0.3, postgresMs: 0.1 },
    refresh: { processMs: 0.4, postgresMs: 0.1 },
    'list-middle': { processMs: 0.6, postgresMs: 0.4 },
    rename: { processMs: 1.2, postgresMs: 0.6 },
    'sign-in': { processMs: 22, postgresMs: 0.8 },
    'sign-up': { processMs: 24, postgresMs: 2 },
    'sign-up-with-mail': { processMs: 31, postgresMs: 4 },
  },
  figures: { hashMs: 20, commitMs: 1.5, eventMs: 0.1, visibleMs: 4, projectedEventMs: 0.05 },
};

test('the hash of a sign-in is its own cost, and an email is what it adds to a sign-up', () => {
  const { work, emailMs } = toCostTable(measured);
  expect(work.signIn).toEqual({ apiMs: 2, postgresMs: 0.8, hashMs: 20, events: 1, emails: 0 });
  expect(work.signUp.apiMs).toBe(4);
  expect(emailMs).toBe(9);
});

test('a cost that was not measured is an error', () => {
  const { hashMs: _, ...figures } = measured.figures;
  expect(() => toCostTable({ ...measured, figures })).toThrow('"hashMs" was not measured');
  const { rename: __, ...requests } = measured.requests;
  expect(() => toCostTable({ ...measured, requests })).toThrow('"rename" was not measured');
});

test('the tables have a row for each request, machine and number of users', () => {
  const costs = toCostTable(measured);
  expect(costRows(costs)).toContain('| sign-in with a password | 2.00 ms | 0.80 ms | 20 ms | 1 |');
  const machines = machineTable(costs).split('\n').slice(2);
  const users = machines.map((row) => Number(row.split('|')[2]?.replaceAll(',', '')));
  expect(users).toHaveLength(4);
  expect(users[0]).toBeGreaterThan(100_000);
  expect(users).toEqual(users.toSorted((a, b) => a - b));
  const growth = growthTable(costs);
  expect(growth.split('\n')).toHaveLength(7);
  expect(growth).not.toContain('not served');
});

test('the page has a section for each table', async () => {
  const text = await readFile(new URL('../../docs/capacity.md', import.meta.url), 'utf8');
  for (const section of ['costs', 'machines', 'growth']) expect(() => replaceSection(text, section, '')).not.toThrow();
});
