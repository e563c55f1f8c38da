import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{services,infra}/**/*.test.ts', '{sdk,dashboard}/**/*.test.{ts,tsx}'],
    reporters: ['default', './infra/testing/closing-line.ts'],
    globalSetup: 'infra/testing/global-setup.ts',
    // Much of it waits for browsers, databases and processes: one worker fewer than there are cores would leave most of them idle.
    maxWorkers: '100%',
    server: { deps: { inline: [/stack-js-2-8-/, /@stackframe/] } },
  },
});
