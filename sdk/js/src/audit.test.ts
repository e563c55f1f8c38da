import { expect, test } from 'vitest';
import { auditClient } from './audit.ts';
import { fakeNetwork, rejection } from './testing.ts';
import { createTransport } from './transport.ts';

const base = { baseUrl: 'http://gate.test', projectId: 'p1', accessType: 'admin' } as const;

test('an export is read as it arrives, with the filters and the place where it continues', async () => {
  const { network, requests } = fakeNetwork(() => ({}));
  let sendRest = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('id,time'));
      sendRest = () => controller.close();
    },
  });
  const fetch: typeof network.fetch = async (url, init) => {
    await network.fetch(url, init);
    return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8; header=present' } });
  };
  const audit = auditClient(createTransport({ ...base, network: { ...network, fetch } }));
  const opened = await audit.openExport({
    format: 'csv',
    actorKind: 'owner',
    excludeIp: '::1',
    ip: undefined,
    afterEventId: 'e1',
  });
  sendRest();
  expect(await new Response(opened).text()).toBe('id,time');
  expect(requests[0]?.url).toBe(
    'http://gate.test/api/v1/internal/audit-events/export?format=csv&actor_kind=owner&exclude_ip=%3A%3A1&after_event_id=e1',
  );
});

test('a rejected export is a known error', async () => {
  const { network } = fakeNetwork(() => rejection('AUDIT_EVENT_NOT_FOUND', 404));
  const audit = auditClient(createTransport({ ...base, network }));
  await expect(audit.openExport({ format: 'jsonl' })).rejects.toMatchObject({ code: 'AUDIT_EVENT_NOT_FOUND' });
});
