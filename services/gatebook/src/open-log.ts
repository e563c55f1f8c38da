import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { openKeys } from '@gatebook/eventlog/encryption/installation-key';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import { createLogWatch } from '@gatebook/eventlog/log-watch';
import type { EventStore } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresEpochs, epochChannel } from '@gatebook/eventlog/postgres/epochs';
import { createPostgresInstallationKeyStore, createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { type Instruments, noInstruments } from '@gatebook/runtime/instruments';
import { createListener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import type { Shutdown } from '@gatebook/runtime/shutdown';
import { StartError } from './embedded/data-folder.ts';
import { measureAppends } from './observability/measure-appends.ts';

export type LogSettings = {
  databaseUrl: string;
  /** `url`: connection string of EventStoreDB; null if the log is in the database. */
  eventStore?: { url: string | null; streamPrefix: string };
  /** A source of master keys, or one fixed key. */
  masterKey: Buffer | MasterKeySource;
  logger: Logger;
  /** Gets a step for everything that is opened. */
  shutdown: Shutdown;
  /** Whether the process answers requests. Then timeouts of the database limit its queries. */
  isForRequests?: boolean;
  /** Whether an operator opens it, who can rebuild read models that are ahead of the log. */
  isForOperator?: boolean;
  instruments?: Pick<Instruments, 'appended' | 'batchCommitted' | 'trace'>;
