import type { WriteDeps } from '@gatebook/commands/deps';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { SigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import type { Mailer } from '@gatebook/mail/smtp';
import type { AcknowledgedWrites } from '@gatebook/projections/acknowledged-writes';
import type { LogTail } from '@gatebook/projections/log-tail';
import type { Rebuilds } from '@gatebook/projections/operations/create-rebuilds';
import type { OperationsStatus } from '@gatebook/projections/operations/queries';
import type { Peers } from '@gatebook/projections/peers/peers';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import type { Config } from '@gatebook/runtime/config';
import type { Logger } from '@gatebook/runtime/logger';
import type { Traffic } from '@gatebook/runtime/traffic';
import type { CountryOf } from './country.ts';
import type { SharedCounts } from './http/limit-counts.ts';
import type { Inbox } from './inbox.ts';
import type { ProjectAccessCache } from './project-access-cache.ts';
import type { AccessTokens } from './tokens.ts';

export type ApiConfig = Pick<Config, 'http' | 'rateLimits' | 'tokens'> & {
  /** Keys of `internal` as they are in force, whether configured or made at the first start. */
  internal: { publishableClientKey: string; signUp: 'open' | 'closed' };
};

/** Everything a route may need; made by `main.ts` or a test. */
export type Deps = WriteDeps & {
  db: ReadDb;
  readModels: ReadModels;
  signingKeys: SigningKeys;
  tokens: AccessTokens;
  projects: ProjectAccessCache;
  tail: LogTail;
  peers: Peers;
  acknowledgedWrites: AcknowledgedWrites;
  activity: Activity;
  /** Answers to writes that came with a key of their own. */
  idempotencyRecords: IdempotencyRecords;
  responseCipher: ResponseCipher;
  config: ApiConfig;
  logger: Logger;
  countryOf: CountryOf;
  /** For trying mail servers; everything else is the worker's to send. */
  mailer: Mailer;
  /** Mails that stayed on this machine; null where they leave it. */
  inbox: Inbox | null;
  /** Where all APIs count their rate limits together; null where each counts for itself. */
  sharedCounts: SharedCounts | null;
  /** How far everything that follows the log has come. */
  operations(): Promise<OperationsStatus>;
  /** What operators do with projection versions of read models. */
  rebuilds: Rebuilds;
  /** Told of each request, where other work in this process makes room for them. */
  traffic?: Traffic;
  /** Where the log lies: `postgres`, `eventstoredb`, `memory`. */
  logAdapter: string;
  version: string;
  /** Folder with the built dashboard; null when it is served by somebody else. */
  dashboardFolder: string | null;
};
