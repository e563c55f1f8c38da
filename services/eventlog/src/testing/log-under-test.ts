import type { EventDefinitions } from '@gatebook/domain/event';
import type { Keyring } from '../encryption/keyring.ts';
import type { EventStore } from '../port.ts';
import type { SnapshotStore } from '../states/snapshots.ts';

/** An empty log that several processes can open at once. */
export type LogUnderTest = {
  /** Opens the log and its keys as one process does. */
  open(catalog: EventDefinitions): Promise<{ store: EventStore; keyring: Keyring }>;
  /** Shared by all processes. */
  snapshots: SnapshotStore;
  /** Every event exactly as it is stored, in order. */
  listStored(): Promise<readonly string[]>;
  /** Makes appends fail when they reach this stream; null for none. */
  breakAt(stream: string | null): Promise<void>;
  /** Breaks every open connection to the log. */
  cutConnections(): Promise<void>;
  close(): Promise<void>;
};
