import type { Inbox } from '@gatebook/api/inbox';
import type { KeyTexts } from '@gatebook/commands/project-key/project-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { Config } from '@gatebook/runtime/config';
import type { DatabaseUrls } from '@gatebook/runtime/database-roles';
import type { Logger } from '@gatebook/runtime/logger';
import type { Shutdown } from '@gatebook/runtime/shutdown';

/** Made by `main.ts` from the configuration and, embedded, from the data folder. */
export type StartSettings = Omit<Settings, 'databases'> & {
  databaseUrl: string;
  /** The database is the one that comes with the installation: its roles get logins. */
  isEmbedded: boolean;
};

/** What every role gets. */
export type Settings = {
  config: Config;
  databases: DatabaseUrls;
  masterKey: MasterKeySource;
  /** null where there is no API. */
  internalKeys: (KeyTexts & { publishableClientKey: string }) | null;
  logger: Logger;
  /** Gets a step for each thing that is started. */
  shutdown: Shutdown;
  /** Takes the mails of a Gatebook that has no mail server. */
  inbox: (Inbox & { smtpUrl: string }) | null;
  /** Gets a few words for each step that takes its time. */
  onProgress: (step: string) => void;
};
