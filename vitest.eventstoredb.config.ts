import { configDefaults, defineConfig } from 'vitest/config';
import { alone, common, services } from './vitest.config.ts';

/** These tests use no log, or only start one. */
const withoutLog = [
  ...[
    'country',
    'end-user',
    'strict-json',
    'history-text',
    'formats',
    'read-changes',
    'steps',
    'serializers',
    'tokens',
  ],
  ...['compressed-pages', 'inbox-pages', 'designs', 'backend-urls', 'issuer-metadata', 'payments', 'test-email'],
];
/**
 * These tests show how requests are parsed, limited, rejected and answered; the log makes no difference. Others run
 * every command that they use.
 */
const ofHttp = [
  ...['published-clients', 'client-2-8-accounts', 'client-2-8-config', 'client-2-8-openid', 'openapi', 'log-away'],
  ...['access', 'isolation', 'caller', 'closed-installation', 'impersonation', 'reauthentication', 'common-passwords'],
  ...['bad-input', 'body-sizes', 'conventions', 'pages', 'list-pages', 'trusted-urls', 'cross-site', 'cross-domain'],
  ...['rate-limits', 'limit-counts', 'lockout', 'admission', 'connections', 'app-servers', 'logged-secrets'],
  ...['authorize', 'simulator', 'openid', 'openid-providers'],
];
/**
 * These tests show what is read from tables, which are the same whatever the log, or every case of a rule whose use of
 * the log another test shows: `undo`, `as-of` and `export-audit-events` read events at their positions.
 */
const ofReadModels = [
  ...['analytics', 'user-metrics', 'report-activity', 'list-users', 'audit-pages'],
  ...['permission-explanations', 'rejections', 'rebuilds', 'undo-of-undo', 'search-projects'],
];

/** These tests choose the log themselves. */
const ofBothLogs = ['audit-order'];

/**
 * Repeats tests of the API with the EventStoreDB simulator instead of the log in memory: each command, the read after
 * it, and what depends on order, concurrency and positions.
 */
export default defineConfig({
  test: {
    ...common,
    ...services,
    include: ['services/api/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...alone,
      ...[...withoutLog, ...ofHttp, ...ofReadModels, ...ofBothLogs].map((name) => `services/api/**/${name}.test.ts`),
    ],
    env: { TEST_LOG: 'eventstoredb' },
  },
});
