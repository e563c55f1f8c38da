import type { Sampler as SamplerName, TraceConfig } from '@gatebook/runtime/trace-config';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

const parentBased = 'parentbased_';

/** The sampler that `OTEL_TRACES_SAMPLER` names. */
export function createSampler({ sampler, ratio }: TraceConfig): Sampler {
  if (!sampler.startsWith(parentBased)) return createRootSampler(sampler, ratio);
  return new ParentBasedSampler({
    root: createRootSampler(sampler.slice(parentBased.length) as SamplerName, ratio),
  });
}

function createRootSampler(name: SamplerName, ratio: number): Sampler {
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}
