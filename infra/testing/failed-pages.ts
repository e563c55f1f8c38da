import { afterEach, beforeEach } from 'vitest';
import { describeOpenPages, openBrowsers } from './open-browsers.ts';

declare module 'vitest' {
  interface TaskMeta {
    usesBrowser?: true;
  }
}

/** Tests of the dashboard go on from the page where the one before ended. */
const buildOnEachOther = '/dashboard/e2e/';
let failed: string | undefined;

beforeEach(({ task, skip }) => {
  if (failed && task.file.filepath.includes(buildOnEachOther)) skip(`"${failed}" failed`);
});

// A wait that ended in vain names the element alone.
afterEach(async ({ task: { name, meta, result } }) => {
  if (openBrowsers.size > 0) meta.usesBrowser = true;
  const error = result?.state === 'fail' ? result.errors?.at(-1) : undefined;
  if (error) failed ??= name;
  if (error && openBrowsers.size > 0) error.message += `\nOpen pages:\n${await describeOpenPages()}`;
});
