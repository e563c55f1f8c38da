import { expect, test } from 'vitest';
import { auditExportsClient } from './audit-exports.ts';
import { fakeNetwork, rejection } from './testing.ts';
import { createDownload } from './transport.ts';

const base = { baseUrl: 'http://gate.test', projectId: 'p1', accessType: 'admin' } as const;
const lines = '{"id":"e2"}\n{"end":true}\n';

test('an export is read as it arrives, with the filters and the place where it continues', async () => {
  const { network, requests } = fakeNetwork(() => ({}));
  const fetch: typeof network.fetch = async (url, init) => {
    await network.fetch(url, init);
    return new Response(lines, { headers: { 'content-type': 'application/x-ndjson' } });
  };
  const exports = auditExportsClient(createDownload({ ...base, network: { ...network, fetch } }));
  const body = await exports.open({ format: 'csv', actorKind: 'owner', ip: undefined, afterEventId: 'e1' });
  expect(await new Response(body).text()).toBe(lines);
  expect(requests[0]?.url).toBe(
    'http://gate.test/api/v1/internal/audit-events/export?format=csv&actor_kind=owner&after_event_id=e1',
  );
});

test('a rejected export is a known error', async () => {
  const { network } = fakeNetwork(() => rejection('AUDIT_EVENT_NOT_FOUND', 404));
  const exports = auditExportsClient(createDownload({ ...base, network }));
  await expect(exports.open({ format: 'jsonl' })).rejects.toMatchObject({ code: 'AUDIT_EVENT_NOT_FOUND' });
});
