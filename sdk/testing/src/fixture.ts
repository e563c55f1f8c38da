import { type Gatebook, type StartOptions, startGatebook } from './start-gatebook.ts';

type Fixture = (given: object, use: (gatebook: Gatebook) => Promise<void>) => Promise<void>;

/**
 * A fixture for `test.extend` of Vitest and of Playwright: one server for each worker, which starts with its first test
 * and stops after its last one.
 */
export const gatebookFixture = (options: StartOptions = {}): [Fixture, { scope: 'worker' }] => [
  // Both libraries read the names of other fixtures from this pattern. There are none.
  async ({}, use) => {
    const gatebook = await startGatebook(options);
    try {
      await use(gatebook);
    } finally {
      await gatebook.stop();
    }
  },
  { scope: 'worker' },
];
