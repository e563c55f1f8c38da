import { afterEach } from 'vitest';
import { describeOpenPages, openBrowsers } from './open-browsers.ts';

// A wait that ended in vain names the element alone.
afterEach(async ({ task: { result } }) => {
  const error = result?.state === 'fail' ? result.errors?.at(-1) : undefined;
  if (error && openBrowsers.size > 0) error.message += `\nOpen pages:\n${await describeOpenPages()}`;
});
