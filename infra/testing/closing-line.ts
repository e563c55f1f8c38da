import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints the last line of a run for log parsers: `N passed, N failed, N skipped`. Prints the number of injected faults
 * before it; the run fails if they are fewer than `MIN_FAULTS`. With `TEST_RETRIES=1` it also names the flaky tests.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const flaky: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
        if (test.diagnostic()?.flaky) flaky.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      // A file that does not load has no tests but counts as failed.
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
    }
    const faults = takeFaults();
    const required = Number(process.env.MIN_FAULTS ?? 0);
    if (faults > 0 || required > 0) process.stdout.write(`\n${faults} faults injected\n`);
    if (faults < required) {
      process.stdout.write(`FAILED: at least ${required} faults are required\n`);
      process.exitCode = 1;
    }
    if (flaky.length > 0) process.stdout.write(`\nFlaky (passed when repeated):\n${flaky.join('\n')}\n`);
    const { passed, failed, skipped } = counts;
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}

function takeFaults(): number {
  const file = process.env.TEST_FAULTS_FILE;
  if (!file) return 0;
  const { size } = statSync(file);
  rmSync(dirname(file), { recursive: true });
  delete process.env.TEST_FAULTS_FILE;
  return size;
}
