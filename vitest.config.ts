import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { translated } from './dashboard/translated.ts';
import { LongestFirst } from './infra/testing/longest-first.ts';
import { pollDeadlineMs, testDeadlineMs } from './services/runtime/src/testing/deadlines.ts';

/** Compare times, so `vitest.alone.config.ts` runs them one at a time. */
export const alone = ['services/**/*.alone.test.ts', 'infra/**/*.alone.test.ts'];

/** The same for tests that only `npm run test:campaigns` runs. */
export const aloneInCampaigns = ['infra/**/*.alone.campaign.test.ts'];

/** Repeat or extend what other tests show, so only `npm run test:campaigns` runs them. */
const extending = [
  ...['infra/checks/**/*', 'dashboard/e2e/dashboard-states', 'services/gatebook/**/projector-kill'],
  ...['services/readmodel/**/hot-rows', 'services/api/**/as-of', 'services/api/**/previews'],
].map((name) => `${name}.campaign.test.ts`);

/** `CAMPAIGNS_FOLLOW`: the same run calls `npm run test:campaigns` later, so it needs no samples of them. */
const onlyInCampaigns = process.env.CAMPAIGNS_FOLLOW ? ['**/*.campaign.test.ts'] : extending;

/** Install packages, so only `npm run test:packages` runs them. */
const installing = ['infra/packages/*.install.test.ts'];

// Test files and the programs that they start load the same modules, so compile each once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.gatebook-compile-cache', import.meta.url));

export const common: NonNullable<ViteUserConfig['test']> = {
  globalSetup: 'infra/testing/global-setup.ts',
  setupFiles: ['infra/testing/wait-limits.ts', 'infra/testing/failed-pages.ts'],
  // Files wait for browsers, databases and processes for about half of their time.
  maxWorkers: 2 * availableParallelism(),
  sequence: { sequencer: LongestFirst },
  testTimeout: testDeadlineMs,
  hookTimeout: testDeadlineMs,
  expect: { poll: { timeout: pollDeadlineMs, interval: 20 } },
  server: { deps: { inline: [/stack-js-/, /@stackframe/] } },
};

const inBrowser = 'dashboard/e2e/**/*.test.ts';
const excluded = [...configDefaults.exclude, ...alone, ...onlyInCampaigns];

/** Read what services declare, in the process of the test. */
const ofDeclarations = [
  'infra/{bench,capacity,docs,recorded-logs}/**/*.test.ts',
  'infra/checks/{event-fields,frames,told-changes}.test.ts',
];

/**
 * Test files of services share no state, so they share a process: loading all modules for each file takes a third of
 * the time.
 */
export const services = {
  include: ['services/**/*.test.ts', ...ofDeclarations],
  exclude: excluded,
  isolate: false,
};

/**
 * Test files of pages each get new globals and modules in a process that they share: starting a process and a DOM for
 * each file takes a third of the CPU time.
 */
const frontend: NonNullable<ViteUserConfig['test']> = {
  include: ['{sdk,dashboard}/**/*.test.{ts,tsx}'],
  exclude: [...excluded, inBrowser],
  pool: 'vmForks',
  // What a file leaves in memory is only freed with the process.
  vmMemoryLimit: '600MB',
};

export default defineConfig({
  test: {
    ...common,
    projects: [
      { extends: true, test: { name: 'services', ...services } },
      { extends: true, plugins: [translated()], test: { name: 'frontend', ...frontend } },
      {
        extends: true,
        plugins: [translated()],
        test: {
          name: 'whole',
          include: ['infra/**/*.test.ts', 'examples/**/*.test.ts', inBrowser],
          exclude: [...excluded, ...installing, ...ofDeclarations],
        },
      },
    ],
  },
});
