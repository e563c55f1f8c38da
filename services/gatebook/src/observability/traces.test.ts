import { DomainError } from '@gatebook/domain/errors';
import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { createRecorder } from './traces.ts';

function startRecording() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const { tracers, beginStatement } = createRecorder(provider);
  const append = (correlationId: string) => tracers.trace({ name: 'append', correlationId }, async () => undefined);
  const spans = () => exporter.getFinishedSpans();
  return { ...tracers, beginStatement, append, spans };
}

const eventOf = (correlationId: string) => ({ metadata: { correlationId } });
const nothing = async () => undefined;

test('a batch with events of one trace belongs to it', async () => {
  const { trace, append, spans } = startRecording();
  await append('r1');
  await trace({ name: 'project', causes: [eventOf('r1'), eventOf('r1')] }, nothing);
  const [appended, projected] = spans();
  expect(projected?.parentSpanContext?.spanId).toBe(appended?.spanContext().spanId);
  expect(projected?.links).toEqual([]);
});

test('a batch with events of several traces has links to them', async () => {
  const { trace, append, spans } = startRecording();
  await append('r1');
  await append('r2');
  await trace({ name: 'project', causes: [eventOf('r1'), eventOf('r2'), eventOf('unknown')] }, nothing);
  const [first, second, projected] = spans();
  expect(projected?.parentSpanContext).toBeUndefined();
  expect(projected?.links.map(({ context }) => context)).toEqual([first?.spanContext(), second?.spanContext()]);
});

test('a batch of many traces has links to 32 of them', async () => {
  const { trace, append, spans } = startRecording();
  const ids = Array.from({ length: 40 }, (_, nth) => `r${nth}`);
  for (const id of ids) await append(id);
  await trace({ name: 'project', causes: ids.map(eventOf) }, nothing);
  expect(spans().at(-1)?.links).toHaveLength(32);
});

test('an optional span is recorded only if it contains others or fails', async () => {
  const { trace, beginStatement, currentTrace, spans } = startRecording();
  const react = (work: () => Promise<void>) => trace({ name: 'react', isOptional: true }, work);
  await react(nothing);
  expect(spans()).toEqual([]);
  await react(async () => beginStatement(() => ({ 'db.operation.name': 'SELECT' }))?.());
  expect(spans().map(({ name }) => name)).toEqual(['SELECT', 'react']);
  await react(async () => void currentTrace());
  await react(() => Promise.reject(new Error('no'))).catch(() => undefined);
  expect(spans().map(({ name }) => name)).toEqual(['SELECT', 'react', 'react', 'react']);
});

test('a statement outside a span is not recorded', () => {
  const { beginStatement } = startRecording();
  expect(beginStatement(() => ({}))).toBeNull();
});

test('another process continues a trace', async () => {
  const { trace, currentTrace, spans } = startRecording();
  let continues: string | null = null;
  await trace({ name: 'react' }, async () => {
    continues = currentTrace();
  });
  const other = startRecording();
  await other.trace({ name: 'run job', continues }, nothing);
  expect(other.spans()[0]?.parentSpanContext?.spanId).toBe(spans()[0]?.spanContext().spanId);
  expect(currentTrace()).toBeNull();
});

test('an error has its type but not its message, and a rejection is not a failure', async () => {
  const { trace, spans } = startRecording();
  const failWith = (error: Error) => trace({ name: 'command' }, () => Promise.reject(error)).catch(() => undefined);
  await failWith(new DomainError('USER_NOT_FOUND', {}));
  await failWith(new RangeError('ann@example.com'));
  expect(spans().map(({ attributes, status }) => [attributes, status])).toEqual([
    [{ 'error.type': 'USER_NOT_FOUND' }, { code: SpanStatusCode.UNSET }],
    [{ 'error.type': 'RangeError' }, { code: SpanStatusCode.ERROR }],
  ]);
});
