/** Receives what a process measures, as it happens. */
export type Instruments = {
  /** An append ended, in whichever adapter. `events`: how many it stored. */
  appended(append: { outcome: AppendOutcome; events: number; seconds: number }): void;
  /** The log in Postgres committed this many appends in one transaction. */
  batchCommitted(appends: number): void;
  /** `route` is a template, such as `/api/v1/users/:user_id`; null for an unknown path. */
  responded(response: {
    method: string;
    route: string | null;
    status: number;
    seconds: number;
    /** Set if the request was not handled because there were too many. */
    rejectedBy: Limiter | null;
  }): void;
  projectLookedUp(isCached: boolean): void;
  passwordQueueChanged(queue: { running: number; waiting: number }): void;
  jobFailed(queue: string): void;
};

/** `rejected`: the log accepts no such append, whenever it is sent. */
export type AppendOutcome = 'committed' | 'conflict' | 'rejected' | 'failed';

/** What rejects requests that are too many. */
export type Limiter = 'rate_limit' | 'admission' | 'password_queue';

const ignore = () => undefined;

/** For processes that nobody measures. */
export const noInstruments: Instruments = {
  appended: ignore,
  batchCommitted: ignore,
  responded: ignore,
  projectLookedUp: ignore,
  passwordQueueChanged: ignore,
  jobFailed: ignore,
};
