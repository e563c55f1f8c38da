import type { Inbox } from '@gatebook/api/inbox';
import type { KeyTexts } from '@gatebook/commands/project-key/project-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { SharedMail } from '@gatebook/mail/sender';
import type { Config } from '@gatebook/runtime/config';
import type { DatabaseUrls } from '@gatebook/runtime/database-roles';
import type { Instruments, Tracers } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import type { Shutdown } from '@gatebook/runtime/shutdown';

/** Created by `main.ts` from the configuration and, if embedded, from the data folder. */
export type StartSettings = Omit<Settings, 'databases' | 'instruments'> & {
  databaseUrl: string;
  /** The database is the embedded one, whose roles get logins. */
  isEmbedded: boolean;
  /** Absent: nothing is traced. */
  tracers?: Tracers;
};

/** What every role gets. */
export type Settings = {
  config: Config;
  databases: DatabaseUrls;
  masterKey: MasterKeySource;
  /** Null for roles without an API. */
  internalKeys: (KeyTexts & { publishableClientKey: string }) | null;
  logger: Logger;
  instruments: Instruments;
  /** Receives a step for each started part. */
  shutdown: Shutdown;
  /** Receives the emails of a Gatebook without a mail server. */
  inbox: (Inbox & { smtpUrl: string }) | null;
  /** Receives a short text for each step that takes long. */
  onProgress: (step: string) => void;
};

/** The mail server for projects without their own; null without one. */
export function sharedMailOf({ config, inbox }: Pick<Settings, 'config' | 'inbox'>): SharedMail | null {
  const url = config.smtp.url ?? inbox?.smtpUrl;
  return url === undefined ? null : { url, senderEmail: config.smtp.from };
}
