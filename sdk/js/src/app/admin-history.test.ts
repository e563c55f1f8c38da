import { expect, test } from 'vitest';
import { fakeNetwork } from '../testing.ts';
import { GatebookAdminApp } from './admin-app.ts';

test('the audit log is exported as a stream, as JSON lines unless another format is given', async () => {
  const lines = '{"id":"e1"}\n{"end":true,"count":1,"next_cursor":"c"}\n';
  const headers = { 'content-type': 'application/x-ndjson; charset=utf-8' };
  const { network, requests } = fakeNetwork(() => ({ text: lines, headers }));
  const facts = { baseUrl: 'http://gate.test', projectId: 'p1', tokenStore: 'memory' } as const;
  const app = new GatebookAdminApp({ ...facts, superSecretAdminKey: 's', parts: { network } });
  expect(await new Response(await app.exportAuditLog()).text()).toBe(lines);
  await app.exportAuditLog({ format: 'csv', actorKind: 'owner', cursor: 'c' });
  const path = 'http://gate.test/api/v1/internal/audit-events/export';
  expect(requests.map(({ url }) => url)).toEqual([
    `${path}?format=jsonl`,
    `${path}?format=csv&actor_kind=owner&cursor=c`,
  ]);
  expect(requests[0]?.headers).toMatchObject({ 'x-stack-super-secret-admin-key': 's' });
});
