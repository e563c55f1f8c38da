import type { WriteDeps } from '@gatebook/commands/deps';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { SharedMail } from '@gatebook/mail/sender';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import type { Tracers } from '@gatebook/runtime/instruments';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import type { QueuePlace } from './queue/job-queue.ts';

export type WorkerDeps = {
  write: WriteDeps;
  pool: Pool;
  /** Spares looks at what announces its changes. */
  listener?: Listener;
  /** For projections; use `projectorSettings`, which are too strict for other work. */
  projectingPool: Pool;
  /** Has the role of the projector, because it builds a projection version to compare with. */
  verifyingPool: Pool;
  /** For sending webhooks; use `hotSettings`. */
  webhooksPool: Pool;
  databaseUrl: string;
  /** The projection groups of the installation. */
  groups?: readonly ProjectionGroup[];
  activity: Activity;
  idempotencyRecords: Pick<IdempotencyRecords, 'forget' | 'forgetOld'>;
  logger: Logger;
  queuePlace: QueuePlace;
  db: ReadDb;
  readModels: Pick<ReadModels, 'reached' | 'ready' | 'isQuarantined' | 'position' | 'continuity'>;
  responseCipher: ResponseCipher;
  /** Whether webhooks may be sent into private networks. */
  outgoing: { allowPrivate: boolean };
  /** URL of Gatebook's pages, for the links in security notices. */
  publicUrl: string;
  /** The mail server of the installation; null without one. */
  sharedMail: SharedMail | null;
  projectsMayUsePrivateHosts: boolean;
  /** Whether this process is handling requests. */
  isBusy?: () => boolean;
  /** Called with the queue's name for each failed attempt of a job. */
  onJobFailure?: (queue: string) => void;
  tracers?: Pick<Tracers, 'trace' | 'currentTrace'>;
  /** Pause before the first retry of a failed email. */
  firstPauseMs?: number;
};
