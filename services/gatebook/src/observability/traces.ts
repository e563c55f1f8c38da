import type { RequestSpan, Span, SpanAttributes, Trace, TracedRequest, Tracers } from '@gatebook/runtime/instruments';
import type { Logger } from '@gatebook/runtime/logger';
import { createLruCache } from '@gatebook/runtime/lru-cache';
import { pause } from '@gatebook/runtime/pause';
import type { TraceConfig } from '@gatebook/runtime/trace-config';
import {
  type Context,
  createContextKey,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  trace as inContext,
  type Link,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { version } from '../version.ts';
import { createSampler } from './sampler.ts';
import { traceStatements } from './trace-statements.ts';

/** Requests whose events this process can still assign to their traces. */
const rememberedRequests = 10_000;
/** A batch of more traces has links to some of them. */
const maxLinks = 32;
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const kinds: Readonly<Record<Span['name'], SpanKind>> = {
  append: SpanKind.INTERNAL,
  command: SpanKind.INTERNAL,
  project: SpanKind.CONSUMER,
  react: SpanKind.CONSUMER,
  'run job': SpanKind.CONSUMER,
  'send email': SpanKind.CLIENT,
};
/** An unavailable collector does not delay the end of the process for longer. */
const longestCloseMs = 2_000;
/** Whether the current span contains others. */
const contents = createContextKey('contents of the span');

export type Traces = {
  tracers: Tracers;
  /** Fields for log lines: the current trace and span. */
  logFields(): object;
  /** Logs failures of the export from now on. */
  reportProblemsTo(logger: Logger): void;
  /** Exports what is recorded, if the collector is available. */
  close(): Promise<void>;
};

/** Records and exports the traces of this process (docs/decisions/0052). */
export function startTraces(config: TraceConfig, role: string): Traces {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'gatebook', 'service.version': version, 'gatebook.role': role }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const recorder = createRecorder(provider);
  const { tracers, contexts, currentSpan } = recorder;
  traceStatements({ begin: recorder.beginStatement, bind: (callback) => contexts.bind(contexts.active(), callback) });
  return {
    tracers,
    logFields: () => {
      const span = currentSpan();
      if (!span?.isRecording()) return {};
      const { traceId, spanId } = span.spanContext();
      return { trace_id: traceId, span_id: spanId };
    },
    reportProblemsTo: (logger) => {
      const warn = (message: string) => logger.warn({ problem: message }, 'could not export traces');
      const ignore = () => undefined;
      diag.setLogger(
        { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
        { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
      );
    },
    close: () => Promise.race([provider.shutdown(), pause(longestCloseMs)]),
  };
}

/** Records the spans of a process. `beginStatement` begins one for a statement in Postgres. */
export function createRecorder(provider: TracerProvider) {
  const tracer = provider.getTracer('gatebook', version);
  const contexts = new AsyncLocalStorageContextManager().enable();
  const propagator = new W3CTraceContextPropagator();
  /** Traces by the request that wrote events. */
  const written = createLruCache<SpanContext>(rememberedRequests);
  const currentSpan = () => inContext.getSpan(contexts.active());
  const extract = (headers: TracedRequest['headers']) =>
    propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);

  function noteContents(): void {
    const outer = contexts.active().getValue(contents) as { isEmpty: boolean } | undefined;
    if (outer) outer.isEmpty = false;
  }

  function placeOf({ causes, continues }: Span): { parent: Context; links: Link[] } {
    if (continues) return { parent: extract({ traceparent: continues }), links: [] };
    if (!causes) return { parent: contexts.active(), links: [] };
    const found = new Map<string, SpanContext | undefined>();
    for (const { metadata } of causes) {
      if (found.size > maxLinks) break;
      const known = written.get(metadata.correlationId);
      found.set(known?.traceId ?? '', known);
    }
    const known = [...found.values()].filter((one) => one !== undefined);
    const [only] = known;
    if (only && found.size === 1) return { parent: inContext.setSpanContext(ROOT_CONTEXT, only), links: [] };
    return { parent: ROOT_CONTEXT, links: known.slice(0, maxLinks).map((context) => ({ context })) };
  }

  const trace: Trace = async (span, work) => {
    const { name, attributes, correlationId, isOptional = false } = span;
    const { parent, links } = placeOf(span);
    noteContents();
    const open = tracer.startSpan(
      name,
      { kind: kinds[name], links, attributes: { ...attributes, ...correlationOf(correlationId) } },
      parent,
    );
    if (name === 'append' && correlationId !== undefined) written.set(correlationId, open.spanContext(), 1);
    const content = { isEmpty: true };
    try {
      const inner = inContext.setSpan(parent, open).setValue(contents, content);
      return await contexts.with(inner, () => work((noted) => open.setAttributes(noted)));
    } catch (error) {
      content.isEmpty = false;
      markFailed(open, error);
      throw error;
    } finally {
      // A span that never ends is not exported.
      if (!isOptional || !content.isEmpty) open.end();
    }
  };

  /** Only within a span: nobody asks for the traces of polls. */
  function beginStatement(attributes: () => SpanAttributes): ((error?: unknown) => void) | null {
    if (!currentSpan()?.isRecording()) return null;
    noteContents();
    const described = attributes();
    const name = described['db.query.summary'] ?? described['db.operation.name'] ?? 'statement';
    const open = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: described }, contexts.active());
    return (error) => {
      if (error) markFailed(open, error);
      open.end();
    };
  }

  function traceRequest({ headers, method, correlationId }: TracedRequest): RequestSpan {
    const parent = extract(headers);
    const known = methods.has(method) ? method : '_OTHER';
    const attributes = { 'http.request.method': known, ...correlationOf(correlationId) };
    const open = tracer.startSpan(known, { kind: SpanKind.SERVER, attributes }, parent);
    const inner = inContext.setSpan(parent, open);
    return {
      run: (next) => contexts.with(inner, next),
      end: ({ route, status, projectId, error }) => {
        if (error) open.setAttributes({ 'error.type': errorType(error) });
        if (status >= 500) open.setStatus({ code: SpanStatusCode.ERROR });
        if (route !== null) open.updateName(`${known} ${route}`);
        open.setAttributes({
          'http.response.status_code': status,
          ...(route !== null && { 'http.route': route }),
          ...(projectId !== null && { 'gatebook.project_id': projectId }),
        });
        open.end();
      },
    };
  }

  function currentTrace(): string | null {
    const carrier: { traceparent?: string } = {};
    noteContents();
    propagator.inject(contexts.active(), carrier, defaultTextMapSetter);
    return carrier.traceparent ?? null;
  }

  return { tracers: { trace, traceRequest, currentTrace }, beginStatement, contexts, currentSpan };
}

const correlationOf = (id: string | undefined): SpanAttributes =>
  id === undefined ? {} : { 'gatebook.correlation_id': id };

/** Messages can contain addresses, so only the type is recorded. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** A rejected command is not a failure. */
function markFailed(open: OpenSpan, error: unknown): void {
  open.setAttributes({ 'error.type': errorType(error) } satisfies SpanAttributes);
  if (!(error instanceof Error && error.name === 'DomainError')) open.setStatus({ code: SpanStatusCode.ERROR });
}
