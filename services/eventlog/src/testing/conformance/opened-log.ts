import type { EventDefinitions, Recorded } from '@gatebook/domain/event';
import { afterEach, beforeEach } from 'vitest';
import type { Keyring } from '../../encryption/keyring.ts';
import type { EventStore } from '../../port.ts';
import type { LogUnderTest } from '../log-under-test.ts';
import { metadata, write } from '../notes.ts';

/** A log that each test gets empty. Read its properties inside tests. */
export type OpenedLog = {
  readonly log: LogUnderTest;
  readonly store: EventStore;
  readonly keyring: Keyring;
  appendNotes(stream: string, expected: bigint, ...texts: string[]): Promise<{ position: bigint }>;
  readEverything(): Promise<readonly Recorded[]>;
};

/** Opens a new log before each test of a `describe`. */
export function openForEachTest(createLog: () => Promise<LogUnderTest>, catalog: EventDefinitions): OpenedLog {
  let opened: Pick<OpenedLog, 'log' | 'store' | 'keyring'>;
  beforeEach(async () => {
    const log = await createLog();
    opened = { log, ...(await log.open(catalog)) };
  });
  afterEach(() => opened.log.close());
  return {
    get log() {
      return opened.log;
    },
    get store() {
      return opened.store;
    },
    get keyring() {
      return opened.keyring;
    },
    appendNotes: (stream, expected, ...texts) => opened.store.append([write(stream, expected, ...texts)], metadata),
    readEverything: () => opened.store.readAll(0n, 10_000),
  };
}
