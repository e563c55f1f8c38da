import type { Sampler } from '@gatebook/runtime/trace-config';
import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { createSampler } from './sampler.ts';

const spanId = '00f067aa0ba902b7';
/** Where the ratio 0.5 takes a trace, and where it does not. */
const [taken, left] = ['10000000000000001000000000000000', 'f0000000000000000000000000000001'];

function isRecorded(sampler: Sampler, traceId: string, parent?: TraceFlags): boolean {
  const inParent = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: parent ?? 0, isRemote: true });
  const context = parent === undefined ? ROOT_CONTEXT : inParent;
  const created = createSampler({ sampler, ratio: 0.5 });
  const { decision } = created.shouldSample(context, traceId, 'GET', SpanKind.SERVER, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

test.each([
  ['always_on', [true, true, true, true]],
  ['always_off', [false, false, false, false]],
  ['traceidratio', [true, false, true, false]],
  ['parentbased_always_on', [true, true, false, true]],
  ['parentbased_always_off', [false, false, false, true]],
  ['parentbased_traceidratio', [true, false, false, true]],
] as const)('%s samples as the specification says', (sampler, expected) => {
  expect([
    isRecorded(sampler, taken),
    isRecorded(sampler, left),
    isRecorded(sampler, taken, TraceFlags.NONE),
    isRecorded(sampler, left, TraceFlags.SAMPLED),
  ]).toEqual(expected);
});
