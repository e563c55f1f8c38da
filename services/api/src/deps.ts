import type { WriteDeps } from '@gatebook/commands/deps';
import type { WebhookSender } from '@gatebook/commands/webhook/sender';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import type { SigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import type { SharedMail } from '@gatebook/mail/sender';
import type { Mailer } from '@gatebook/mail/smtp';
import type { AcknowledgedWrites } from '@gatebook/projections/acknowledged-writes';
import type { HotRows } from '@gatebook/projections/hot-rows';
import type { LogTail } from '@gatebook/projections/log-tail';
import type { Rebuilds } from '@gatebook/projections/operations/create-rebuilds';
import type { OperationsStatus } from '@gatebook/projections/operations/queries';
import type { HealthParts } from '@gatebook/projections/operations/readiness';
import type { Peers } from '@gatebook/projections/peers/peers';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import type { Rejections } from '@gatebook/readmodel/activity/rejections';
import type { Moments } from '@gatebook/readmodel/past/moments';
import type { PastDb } from '@gatebook/readmodel/past/past-db';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import type { UserBatches } from '@gatebook/readmodel/user-batches/user-batches';
import type { WebhookDeliveries } from '@gatebook/readmodel/webhooks/webhook-deliveries';
import type { Config } from '@gatebook/runtime/config';
import type { Instruments } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import type { Traffic } from '@gatebook/runtime/traffic';
import type { CountryOf } from './country.ts';
import type { SharedCounts } from './http/limit-counts.ts';
import type { Inbox } from './inbox.ts';
import type { ProjectAccessCache } from './project-access-cache.ts';
import type { AccessTokens } from './tokens.ts';

export type ApiConfig = Pick<Config, 'http' | 'outgoing' | 'rateLimits' | 'tokens'> & {
  /** The current keys of `internal`, either configured or generated at the first start. */
  internal: { publishableClientKey: string; signUp: 'open' | 'closed' };
};

/** Everything that routes need; constructed by a process or a test. */
export type Deps = WriteDeps & {
  db: ReadDb;
  /** Reads of the past; null if it is not kept. */
  past: { at: PastDb; moments: Moments } | null;
  readModels: ReadModels;
  signingKeys: SigningKeys;
  tokens: AccessTokens;
  projects: ProjectAccessCache;
  hotRows: Pick<HotRows, 'passed'>;
  tail: LogTail;
  peers: Peers;
  acknowledgedWrites: AcknowledgedWrites;
  activity: Activity;
  rejections: Rejections;
  /** Responses to writes with an idempotency key. */
  idempotencyRecords: IdempotencyRecords;
  responseCipher: ResponseCipher;
  config: ApiConfig;
  logger: Logger;
  countryOf: CountryOf;
  /** Only for testing mail servers and templates; the worker sends all other email. */
  mailer: Mailer;
  /** The mail server of the installation; null without one. */
  sharedMail: SharedMail | null;
  deliveries: WebhookDeliveries;
  userBatches: UserBatches;
  /** Only for testing webhook endpoints; the worker sends deliveries. */
  webhookSender: WebhookSender;
  /** Emails that stayed on this machine; null if they are sent. */
  inbox: Inbox | null;
  /** Rate-limit counters shared by all API processes; null if each process counts separately. */
  sharedCounts: SharedCounts | null;
  /** Positions of projections and subscriptions. */
  operations(): Promise<OperationsStatus>;
  findHistory: HealthParts['findHistory'];
  neededLeaders: HealthParts['neededLeaders'];
  groupNames: HealthParts['groupNames'];
  findQueueProblems?: HealthParts['findQueueProblems'];
  /** Operations on projection versions. */
  rebuilds: Rebuilds;
  /** Makes every subscription retry a quarantined project. */
  releaseProject(projectId: string): Promise<void>;
  /** Receives what is measured about requests; absent if nobody measures. */
  instruments?: Pick<Instruments, 'responded' | 'traceRequest'>;
  /** Notified of each request, so that other work in this process can yield. */
  traffic?: Traffic;
  /** Adapter of the event log: `postgres`, `eventstoredb`, `memory`. */
  logAdapter: string;
  version: string;
  /** Folder with the built dashboard; null if it is served elsewhere. */
  dashboardFolder: string | null;
};
