/** What a process reports about its work: figures as they arise, and spans of traces. */
export type Instruments = Meters & Tracers;

/** Receives what a process measures, as it happens. */
export type Meters = {
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
  /** A row of a hot query, such as a session with its user. */
  rowLookedUp(isCached: boolean): void;
  passwordQueueChanged(queue: { running: number; waiting: number }): void;
  jobFailed(queue: string): void;
};

/** Records spans. Without traces these only run the work. */
export type Tracers = {
  trace: Trace;
  /** The current span, to continue its trace in another process (W3C `traceparent`); null if there is none. */
  currentTrace(): string | null;
  /** Begins the span of an HTTP request. Null: requests are not traced. */
  traceRequest: ((request: TracedRequest) => RequestSpan) | null;
};

/** Runs `work` as a span below the current one. `note` adds attributes to it. */
export type Trace = <T>(span: Span, work: (note: (attributes: SpanAttributes) => void) => Promise<T>) => Promise<T>;

export type Span = {
  name: 'append' | 'command' | 'project' | 'react' | 'run job' | 'send email';
  attributes?: SpanAttributes;
  /** A request, or the request that it results from: what `causes` refer to. */
  correlationId?: string;
  /** The events that the work is about. It belongs to the trace that wrote them, or has links to several traces. */
  causes?: readonly { metadata: { correlationId: string } }[];
  /** Continues the trace of another process (W3C `traceparent`). */
  continues?: string | null;
  /** Recorded only if it contains other spans, for work that often does nothing. */
  isOptional?: boolean;
};

/** All attributes that spans can have, so that none contains personal data, secrets or IDs of people. */
export type SpanAttributes = {
  'db.operation.name'?: string;
  'db.query.summary'?: string;
  'db.query.text'?: string;
  'db.system.name'?: string;
  /** Name of the error's class, or its code; never its message. */
  'error.type'?: string;
  'gatebook.command.attempts'?: number;
  'gatebook.command.types'?: string[];
  'gatebook.correlation_id'?: string;
  'gatebook.event.count'?: number;
  'gatebook.event.types'?: string[];
  'gatebook.project_id'?: string;
  'gatebook.projection_group'?: string;
  'gatebook.queue'?: string;
  'gatebook.reactor'?: string;
  'http.request.method'?: string;
  'http.response.status_code'?: number;
  'http.route'?: string;
};

export type TracedRequest = {
  /** As received: `traceparent` and `tracestate` name the caller's trace. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  method: string;
  correlationId: string;
};

export type RequestSpan = {
  /** Runs `next` within the span. */
  run(next: () => void): void;
  end(response: { route: string | null; status: number; projectId: string | null; error: Error | null }): void;
};

/** `rejected`: the log accepts no such append, whenever it is sent. */
export type AppendOutcome = 'committed' | 'conflict' | 'rejected' | 'failed';

/** What rejects requests that are too many. */
export type Limiter = 'rate_limit' | 'admission' | 'password_queue';

const ignore = () => undefined;

/** For processes without traces. */
export const noTracers: Tracers = {
  trace: (_span, work) => work(ignore),
  currentTrace: () => null,
  traceRequest: null,
};

/** For processes that nobody measures. */
export const noInstruments: Instruments = {
  ...noTracers,
  appended: ignore,
  batchCommitted: ignore,
  responded: ignore,
  projectLookedUp: ignore,
  rowLookedUp: ignore,
  passwordQueueChanged: ignore,
  jobFailed: ignore,
};
