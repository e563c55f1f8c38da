import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMailReader } from '../testing/mails.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../testing/otlp-receiver.ts';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startOnCopy } from '../testing/prepared-data.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

const email = 'traced-person@example.com';
const displayName = 'Traced Person';
const parentSpanId = '00f067aa0ba902b7';

/** Prints each package of OpenTelemetry that a process loads. `prom-client` loads the API by itself. */
const printLoaded = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url.includes('@opentelemetry/') && !found.url.includes('@opentelemetry/api/')) console.log('loaded', specifier);
    return found;
  },
});`;
const hook = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(printLoaded)}` };
const loadedBy = ({ printed }: Product) => printed.filter((line) => line.startsWith('loaded @opentelemetry/'));

let folder: string;
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
beforeAll(async () => {
  folder = await makeDataFolder('gatebook-traces-');
  receiver = await startOtlpReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
});

const exporting = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
let traceCount = 0;
const newTraceId = () => {
  traceCount += 1;
  return `4bf92f3577b34da6a3ce929d0e0e${String(traceCount).padStart(4, '0')}`;
};

/** A request of a server to project `internal`, within a trace of the caller. */
async function send(
  { url }: Product,
  [method, path]: readonly [string, string],
  {
    body,
    traceId,
    flags = '01',
    access = 'admin',
    status = 200,
  }: { body?: object; traceId?: string; flags?: string; access?: string; status?: number },
) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': access,
      'x-stack-project-id': 'internal',
      'x-stack-secret-server-key': internalKeys.server,
      'x-stack-super-secret-admin-key': internalKeys.admin,
      ...(traceId && { traceparent: `00-${traceId}-${parentSpanId}-${flags}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(status);
  return { requestId: response.headers.get('x-stack-request-id'), answer };
}

describe('a server with OTEL_TRACES_EXPORTER=otlp', () => {
  let product: Product;
  let userId: string;
  const logLines: string[] = [];
  const created = newTraceId();
  const mailed = newTraceId();
  const rejected = newTraceId();
  const unsampled = newTraceId();
  let createRequestId: string | null;

  beforeAll(async () => {
    product = await startOnCopy(folder, {
      ...hook,
      ...exporting(),
      GATEBOOK_LOG_LEVEL: 'info',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_SERVICE_NAME: 'auth',
    });
    product.child.stderr?.on('data', (chunk: Buffer) => logLines.push(...chunk.toString().split('\n')));
    try {
      await sendRequests();
    } finally {
      // Exports everything that is recorded.
      await product.stop();
    }
  });

  async function sendRequests(): Promise<void> {
    const person = {
      primary_email: email,
      primary_email_auth_enabled: true,
      primary_email_verified: true,
      display_name: displayName,
    };
    const creation = await send(product, ['POST', '/users'], { body: person, traceId: created, status: 201 });
    createRequestId = creation.requestId;
    userId = creation.answer.id;
    const config = { config: { magic_link_enabled: true } };
    await send(product, ['PATCH', '/internal/projects/current'], { body: config, traceId: unsampled, flags: '00' });
    const code = { email, callback_url: `${product.url}/handler/magic-link-callback` };
    await send(product, ['POST', '/auth/otp/send-sign-in-code'], { body: code, traceId: mailed });
    await send(product, ['GET', `/users/${userId}`], { traceId: rejected, access: 'client', status: 401 });
    await createMailReader(product.url).next(email);
  }

  const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
  const namesFrom = (span: ReceivedSpan): string[] => {
    const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [span.name, ...(parent ? namesFrom(parent) : [])];
  };
  const pathsOf = (traceId: string, name: string) =>
    spansOf(traceId)
      .filter((span) => span.name === name)
      .map(namesFrom);

  test('continues the trace of the caller from the request to the rows of the read model', () => {
    const [request] = spansOf(created).filter(({ name }) => name === 'POST /api/v1/users');
    expect(request).toMatchObject({
      parentSpanId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/users',
        'http.response.status_code': expect.anything(),
        'gatebook.project_id': 'internal',
        'gatebook.correlation_id': createRequestId,
      },
    });
    expect(pathsOf(created, 'append')).toContainEqual(['append', 'command', 'POST /api/v1/users']);
    expect(pathsOf(created, 'project')).toContainEqual(['project', 'append', 'command', 'POST /api/v1/users']);
    const groups = spansOf(created).map(({ attributes }) => attributes['gatebook.projection_group']);
    // Batches of metrics are collected for a moment, so they contain events of several traces.
    expect(groups).toContain('main');
    expect(pathsOf(created, 'project-move-checkpoint')).toContainEqual(
      expect.arrayContaining(['project-move-checkpoint', 'project', 'append']),
    );
  });

  test('continues a trace from an event to the delivery of the email', () => {
    const request = 'POST /api/v1/auth/otp/send-sign-in-code';
    expect(pathsOf(mailed, 'send email')).toEqual([['send email', 'run job', 'react', 'append', 'command', request]]);
    // Other reactors did nothing.
    const reactors = spansOf(mailed).map(({ attributes }) => attributes['gatebook.reactor']);
    expect(reactors).not.toContain('blobs');
  });

  test('names its service and sends the headers of the collector', () => {
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-collector-key': 'abc' } });
    expect(receiver.resources[0]).toMatchObject({
      'service.name': 'auth',
      'deployment.environment.name': 'test',
      'gatebook.role': 'all',
    });
  });

  test('records no trace that the caller does not sample', () => {
    expect(spansOf(unsampled)).toEqual([]);
  });

  test('logs the trace of a request', () => {
    const line = logLines.find((one) => one.includes('access rejected')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      trace_id: rejected,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  test('exports only documented attributes', async () => {
    const operations = await readFile(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8');
    const section = operations.slice(operations.indexOf('\n## Traces'));
    const documented = [...section.matchAll(/^\| `([a-z_]+\.[a-z_.]+)` \|/gm)].map(([, name]) => name);
    const exported = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...exported].toSorted()).toEqual(documented.toSorted());
  });

  test('exports no personal data, no values of statements, no paths and no messages of errors', async () => {
    expect(receiver.spans.length).toBeGreaterThan(20);
    expect(receiver.spans.flatMap(({ events }) => events)).toEqual([]);
    for (const secret of [email, 'example.com', displayName, userId, internalKeys.server, internalKeys.admin]) {
      for (const { body } of receiver.requests) expect(body.includes(secret), secret).toBe(false);
    }
    const texts = receiver.spans.map(({ attributes }) => String(attributes['db.query.text'] ?? ''));
    expect(texts.filter((text) => text.includes("'"))).toEqual([]);
  });
});

test.each([
  ['by default', {}],
  ['with OTEL_TRACES_EXPORTER=none', { OTEL_TRACES_EXPORTER: 'none' }],
  ['with OTEL_SDK_DISABLED=true', { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }],
])('OpenTelemetry is not loaded %s', async (_when, settings) => {
  const before = receiver.requests.length;
  const product = await startProduct({
    ...hook,
    ...exporting(),
    ...settings,
    GATEBOOK_DATA_DIR: join(folder, 'data'),
  });
  await send(product, ['GET', '/users?limit=1'], { traceId: newTraceId() });
  await product.stop();
  expect(loadedBy(product)).toEqual([]);
  expect(receiver.requests).toHaveLength(before);
});
