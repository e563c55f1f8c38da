import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Tests of the API that have no log: whatever lies under it, they show the same. */
const withoutLog = ['country', 'totp', 'http/end-user', 'http/strict-json', 'routes/history/history-text'];

/** The API's tests once more, with the log in the stand-in for EventStoreDB instead of in memory. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['services/api/**/*.test.ts'],
    exclude: withoutLog.map((name) => `services/api/src/${name}.test.ts`),
    env: { TEST_LOG: 'eventstoredb' },
  },
});
