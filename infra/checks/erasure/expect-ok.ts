import { expect } from 'vitest';
import type { Answer } from '../../testing/api-client.ts';

/** Expects that a request was accepted. */
export const expectOk = (answer: Answer): Answer => {
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};
