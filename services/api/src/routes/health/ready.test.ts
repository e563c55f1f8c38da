import { expect, test } from 'vitest';
import { startSuite } from '../../testing/suite.ts';

let checks = 0;
const { api } = await startSuite({
  overrides: ({ operations }) => ({
    operations: () => {
      checks += 1;
      return operations();
    },
  }),
});

test('one check of readiness answers all who ask meanwhile, and the next request gets a new one', async () => {
  const ask = () => api.app.inject('/health/ready');
  const answers = await Promise.all(Array.from({ length: 50 }, ask));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
  expect(checks).toBe(1);
  await ask();
  expect(checks).toBe(2);
});
