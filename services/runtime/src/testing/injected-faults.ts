import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';

/** Counts an injected fault: a byte in a file that all test processes of a run share. The run prints the number. */
export function countFault(): void {
  appendFileSync(inject('faultsFile'), '.');
}
