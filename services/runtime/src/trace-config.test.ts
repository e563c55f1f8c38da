import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

test.each([
  {},
  { OTEL_TRACES_EXPORTER: '' },
  { OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER: 'unknown' },
  { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'TRUE' },
])('%o turns traces off', (env) => {
  expect(readConfig(env).tracing).toBeNull();
});

test('traces follow the sampling of the caller by default', () => {
  expect(readConfig({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: '' }).tracing).toEqual({
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
});

test('a sampler has an argument', () => {
  const env = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(readConfig(env).tracing).toEqual({ sampler: 'traceidratio', ratio: 0.25 });
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [{ OTEL_TRACES_SAMPLER: 'xray' }, 'OTEL_TRACES_SAMPLER'],
  [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG'],
  [{ OTEL_TRACES_SAMPLER_ARG: 'half' }, 'OTEL_TRACES_SAMPLER_ARG'],
])('%o is rejected', (env, name) => {
  const read = () => readConfig({ OTEL_TRACES_EXPORTER: 'otlp', ...env });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`${name} must be`);
});
