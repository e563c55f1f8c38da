type Environment = Readonly<Record<string, string | undefined>>;

export type TraceConfig = {
  sampler: Sampler;
  /** Share of the traces that samplers named `traceidratio` record. */
  ratio: number;
};

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type Sampler = (typeof samplers)[number];

/**
 * Reads those standard variables of OpenTelemetry that its exporter and its resource detector don't read by themselves
 * (docs/operations.md). `tracing` is null unless traces are exported.
 */
export function readTraceConfig(env: Environment): { tracing: TraceConfig | null; faults: string[] } {
  const {
    OTEL_TRACES_EXPORTER: exporter = '',
    OTEL_TRACES_SAMPLER: name,
    OTEL_TRACES_SAMPLER_ARG: argument,
    OTEL_SDK_DISABLED: disabled = '',
  } = env;
  if (exporter === '' || exporter === 'none' || disabled.toLowerCase() === 'true') return { tracing: null, faults: [] };
  const sampler = samplers.find((known) => known === (name || 'parentbased_always_on'));
  const ratio = Number(argument || 1);
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  const faults = [
    ...(exporter === 'otlp' ? [] : ['OTEL_TRACES_EXPORTER must be otlp or none']),
    ...(protocol === 'http/protobuf' ? [] : ['OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf']),
    ...(sampler ? [] : [`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}`]),
    ...(ratio >= 0 && ratio <= 1 ? [] : ['OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1']),
  ];
  return { tracing: sampler && faults.length === 0 ? { sampler, ratio } : null, faults };
}
