import { configDefaults, defineConfig } from 'vitest/config';
import { alone, common, services } from './vitest.config.ts';

/** These tests use no log. */
const withoutLog = ['country', 'end-user', 'strict-json', 'history-text'];
/** These tests show how requests are parsed and answered; the log makes no difference. */
const ofHttp = ['published-clients', 'openapi', 'rate-limits', 'access', 'log-away', 'bad-input'];

/** Repeats the tests of the API with the EventStoreDB simulator instead of the log in memory. */
export default defineConfig({
  test: {
    ...common,
    ...services,
    include: ['services/api/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...alone,
      ...[...withoutLog, ...ofHttp].map((name) => `services/api/**/${name}.test.ts`),
    ],
    env: { TEST_LOG: 'eventstoredb' },
  },
});
