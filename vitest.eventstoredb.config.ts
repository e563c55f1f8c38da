import { defineConfig } from 'vitest/config';
import { common, services } from './vitest.config.ts';

/** Tests of the API that have no log: whatever lies under it, they show the same. */
const withoutLog = ['country', 'totp', 'http/end-user', 'http/strict-json', 'routes/history/history-text'];
/** Compares times, which a server in the test's own process makes uneven. */
const ofTime = ['routes/auth/timing'];
/** Show how requests are read and answered, not what they do; published clients call what the others call. */
const ofHttp = [
  'client-2-8',
  'client-2-8-resources',
  'client-2-8-sign-in',
  'http/openapi',
  'http/rate-limits',
  'routes/access',
  'routes/health/log-away',
  'routes/bad-input',
];

/** The API's tests once more, with the log in the simulator for EventStoreDB instead of in memory. */
export default defineConfig({
  test: {
    ...common,
    ...services,
    include: ['services/api/**/*.test.ts'],
    exclude: [...withoutLog, ...ofTime, ...ofHttp].map((name) => `services/api/src/${name}.test.ts`),
    // A call to the log is a call to another server, and they share two cores.
    testTimeout: 30_000,
    env: { TEST_LOG: 'eventstoredb' },
  },
});
