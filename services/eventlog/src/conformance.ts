import { describe } from 'vitest';
import { type Remainder, testAppending } from './testing/conformance/appending.ts';
import { picturesCatalog, testLargeValues } from './testing/conformance/large-values.ts';
import { openForEachTest } from './testing/conformance/opened-log.ts';
import { testReading } from './testing/conformance/reading.ts';
import { statesCatalog, testRememberedStates } from './testing/conformance/remembered-states.ts';
import { testStoredEvents } from './testing/conformance/stored-events.ts';
import { type Positions, testSubscriptions } from './testing/conformance/subscriptions.ts';
import type { LogUnderTest } from './testing/log-under-test.ts';
import { notesCatalog } from './testing/notes.ts';

export type { LogUnderTest };

/** Tests every guarantee of the port. `seeds`: of the races of 32 writers, one race each. */
export function describeEventStore(
  name: string,
  createLog: () => Promise<LogUnderTest>,
  { leaves, positions, seeds = [1, 2, 3] }: { leaves: Remainder; positions: Positions; seeds?: readonly number[] },
): void {
  describe(`${name}: large values`, () => testLargeValues(openForEachTest(createLog, picturesCatalog)));
  describe(`${name}: states`, () => testRememberedStates(openForEachTest(createLog, statesCatalog)));
  describe(name, () => {
    const opened = openForEachTest(createLog, notesCatalog);
    testReading(opened);
    testAppending(opened, leaves);
    testStoredEvents(opened);
    testSubscriptions(opened, positions, seeds);
  });
}
