import { expect, test } from 'vitest';
import { closingLine, judge, type Result, toTable } from './report.ts';

const figure: Result = { name: 'reads', gatebook: 150, reference: 100, referenceName: 'bare', unit: '/s', aim: null };
const cpu = (ratio: number) => ({ gatebook: 1, reference: ratio, ratio });

test('a comparison passes if rate and CPU reach the aim', () => {
  expect(judge({ ...figure, aim: { ratio: 1.5 }, cpu: cpu(1.5) })).toBe('passed');
  expect(judge({ ...figure, aim: { ratio: 1.5 }, cpu: cpu(1.49) })).toBe('failed');
  expect(judge({ ...figure, aim: { ratio: 1.51 }, cpu: cpu(2) })).toBe('failed');
  expect(judge({ ...figure, ratio: 1.4, aim: { ratio: 1.5 } })).toBe('failed');
});

test('an aim for the rate ignores the CPU', () => {
  expect(judge({ ...figure, aim: { rateRatio: 1.5 }, cpu: cpu(0.1) })).toBe('passed');
  expect(judge({ ...figure, aim: { rateRatio: 1.6 }, cpu: cpu(9) })).toBe('failed');
});

test('a figure has an upper or a lower limit', () => {
  expect(judge({ ...figure, aim: { atLeast: 150 } })).toBe('passed');
  expect(judge({ ...figure, aim: { atLeast: 151 } })).toBe('failed');
  expect(judge({ ...figure, aim: { atMost: 149 } })).toBe('failed');
  expect(judge({ ...figure, aim: { atMostRatio: 1.5 } })).toBe('passed');
  expect(judge({ ...figure, aim: { atMostRatio: 1.4 } })).toBe('failed');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('a figure of %s fails, with an aim and without', (gatebook) => {
  expect(judge({ ...figure, gatebook, aim: { atLeast: 1 } })).toBe('failed');
  expect(judge({ ...figure, gatebook })).toBe('failed');
  expect(judge({ ...figure, cpu: cpu(gatebook) })).toBe('failed');
});

test('the closing line counts verdicts', () => {
  const results: Result[] = [{ ...figure, aim: { ratio: 1 } }, { ...figure, aim: { ratio: 2 } }, figure];
  expect(closingLine(results)).toBe('1 passed, 1 failed (1 without an aim)');
  expect(closingLine(results.slice(0, 2))).toBe('1 passed, 1 failed');
});

test('the table shows figures, ratios, aim and verdict', () => {
  const rows = toTable([
    { ...figure, aim: { ratio: 1.2 }, cpu: { gatebook: 0.5, reference: 1, ratio: 2 } },
    { name: 'start', gatebook: 1.234, unit: 's', aim: { atMost: 1 } },
  ]).split('\n');
  expect(rows[2]).toBe('| reads | bare | 150 vs. 100 /s | 1.50× | 0.50 vs. 1.00 ms | 2.00× | ≥ 1.2× | passed |');
  expect(rows[3]).toBe('| start | – | 1.23 s | – | – | – | ≤ 1 s | failed |');
});
