import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseCLI, startVitest, type TestModule, type Vitest } from 'vitest/node';

// Runs tests as `vitest run` does, with the same arguments. With `TEST_RETRIES=1`, files in which a test failed run
// once more, from their start, because their tests often build on each other. The last line is for log parsers:
// `N passed, N failed, N skipped`. The number of injected faults comes before it; the run fails if they are fewer than
// `MIN_FAULTS`.

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const first = await startVitest(filter, options);
const repeated = process.env.TEST_RETRIES ? first.state.getTestModules().filter(isRepeatable) : [];
const second = repeated.length > 0 ? await repeat(repeated) : null;
const ids = new Set(repeated.map(({ moduleId }) => moduleId));
const modules = [
  ...first.state.getTestModules().filter(({ moduleId }) => !ids.has(moduleId)),
  ...(second?.state.getTestModules() ?? []),
];
const hasFailed =
  modules.some((module) => module.state() === 'failed') ||
  [first, second].some((run) => (run?.state.getUnhandledErrors().length ?? 0) > 0);
const hasEnoughFaults = countFaults();
printFlaky();
printCounts();
process.exit(hasFailed || modules.length === 0 || !hasEnoughFaults ? 1 : 0);

/** An order of events that fails once in a campaign is a fault. A browser also fails for want of time. */
function isRepeatable(module: TestModule): boolean {
  if (module.state() !== 'failed') return false;
  const failed = [...module.children.allTests('failed')];
  return !module.moduleId.includes('.campaign.test.') || failed.some((test) => test.meta().usesBrowser);
}

function repeat(failed: readonly TestModule[]): Promise<Vitest> {
  const files = failed.map(({ relativeModuleId }) => relativeModuleId);
  process.stdout.write(`\nFailed, and run once more:\n${files.join('\n')}\n`);
  return startVitest(files, options);
}

function countFaults(): boolean {
  const file = process.env.TEST_FAULTS_FILE;
  const faults = file ? statSync(file).size : 0;
  if (file) rmSync(dirname(file), { recursive: true });
  const required = Number(process.env.MIN_FAULTS ?? 0);
  if (faults > 0 || required > 0) process.stdout.write(`\n${faults} faults injected\n`);
  if (faults < required) process.stdout.write(`FAILED: at least ${required} faults are required\n`);
  return faults >= required;
}

function printFlaky(): void {
  const hasPassed = new Set(modules.filter((module) => module.state() === 'passed').map(({ moduleId }) => moduleId));
  const flaky = repeated
    .filter(({ moduleId }) => hasPassed.has(moduleId))
    .flatMap(({ relativeModuleId, children }) =>
      [...children.allTests('failed')].map(({ fullName }) => `${relativeModuleId} > ${fullName}`),
    );
  if (flaky.length > 0) process.stdout.write(`\nFlaky (passed when repeated):\n${flaky.join('\n')}\n`);
}

function printCounts(): void {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state !== 'pending') counts[state] += 1;
    }
    // A file that does not load has no tests but counts as failed.
    if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
  }
  const { passed, failed, skipped } = counts;
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
