import { expect, test } from 'vitest';
import { labelStep } from './label-step.ts';

const days = Array.from({ length: 30 }, (_, nth) => `Nov ${nth + 1}`);

test('every bar has a label where there is room', () => {
  expect(labelStep(days.slice(0, 7), 800)).toBe(1);
});

test('labels have a gap between them, and the last one stays within the chart', () => {
  for (const width of [240, 300, 500, 800, 1040]) {
    const step = labelStep(days, width);
    const barPx = width / days.length;
    const last = Math.floor((days.length - 1) / step) * step;
    expect(step * barPx).toBeGreaterThan(42 + 20);
    expect((last + 0.5) * barPx + 21).toBeLessThanOrEqual(width);
    expect(step).toBeLessThanOrEqual(15);
  }
});

test('a narrow chart labels its first bar', () => {
  expect(labelStep(days, 20)).toBe(30);
  expect(labelStep(['Nov 1'], 100)).toBe(1);
});
