import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';
import { z } from 'zod';

/** The fields of OTLP 1.7 that the tests read. */
const { root } = protobuf.parse(`syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
  }
  message Event { string name = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message ArrayValue { repeated AnyValue values = 1; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }`);

const Attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]])));
const hex = z.instanceof(Buffer).transform((bytes) => bytes.toString('hex'));
const Span = z.object({
  traceId: hex,
  spanId: hex,
  parentSpanId: hex.optional(),
  name: z.string(),
  attributes: Attributes,
  events: z.array(z.object({ name: z.string() })),
});
const Exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});
export type ReceivedSpan = z.output<typeof Span>;

/** A collector of traces by OTLP over HTTP, which keeps what it receives. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string; headers: Record<string, unknown>; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    const type = root.lookupType('Request');
    const decoded = type.toObject(type.decode(body), { arrays: true });
    for (const { resource, scopeSpans } of Exported.parse(decoded).resourceSpans) {
      resources.push(resource.attributes);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
