import { configDefaults, defineConfig } from 'vitest/config';

/** Compare times; run one after the other by `vitest.alone.config.ts`. */
export const alone = ['services/api/src/routes/auth/timing.test.ts'];

export default defineConfig({
  test: {
    include: ['{services,infra}/**/*.test.ts', '{sdk,dashboard}/**/*.test.{ts,tsx}'],
    exclude: [...configDefaults.exclude, ...alone],
    reporters: ['default', './infra/testing/closing-line.ts'],
    globalSetup: 'infra/testing/global-setup.ts',
    // Much of it waits for browsers, databases and processes: one worker fewer than there are cores would leave most of them idle.
    maxWorkers: '100%',
    server: { deps: { inline: [/stack-js-2-8-/, /@stackframe/] } },
  },
});
