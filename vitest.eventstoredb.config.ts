import { configDefaults, defineConfig } from 'vitest/config';
import { alone, common, services } from './vitest.config.ts';

/** These tests use no log. */
const withoutLog = ['country', 'end-user', 'strict-json', 'history-text'];
/**
 * These tests show how requests are parsed, limited and answered; the log makes no difference. Others run every command
 * that they use.
 */
const ofHttp = [
  ...['published-clients', 'openapi', 'access', 'log-away', 'bad-input', 'pages', 'list-pages', 'trusted-urls'],
  ...['rate-limits', 'limit-counts', 'lockout', 'app-servers', 'connections', 'cross-site', 'logged-secrets'],
];

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
