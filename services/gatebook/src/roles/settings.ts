import type { Inbox } from '@gatebook/api/inbox';
import type { KeyTexts } from '@gatebook/commands/project-key';
import type { Config } from '@gatebook/runtime/config';
import type { Logger } from '@gatebook/runtime/logger';
import type { Shutdown } from '@gatebook/runtime/shutdown';

/** What every role gets; made by `main.ts` from the configuration and, embedded, from the data folder. */
export type Settings = {
  config: Config;
  databaseUrl: string;
  masterKey: Buffer;
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
