import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

/** Compare times; run one after the other by `vitest.alone.config.ts`. */
export const alone = ['services/api/src/routes/auth/timing.test.ts'];

export const common: NonNullable<ViteUserConfig['test']> = {
  reporters: ['default', './infra/testing/closing-line.ts'],
  globalSetup: 'infra/testing/global-setup.ts',
  // Much of it waits for browsers, databases and processes: one worker fewer than there are cores would leave most of them idle.
  maxWorkers: '100%',
  // A slow machine must not fail a test that has no fault.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  server: { deps: { inline: [/stack-js-2-8-/, /@stackframe/] } },
};

/** Loading the services anew for each file would take a third of the time. Their test files share no state, so they can share a process. */
export const services = {
  include: ['services/**/*.test.ts'],
  exclude: [...configDefaults.exclude, ...alone],
  isolate: false,
};

export default defineConfig({
  test: {
    ...common,
    projects: [
      { extends: true, test: { name: 'services', ...services } },
      { extends: true, test: { name: 'whole', include: ['infra/**/*.test.ts', '{sdk,dashboard}/**/*.test.{ts,tsx}'] } },
    ],
  },
});
