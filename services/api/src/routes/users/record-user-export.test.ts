import { expect, test } from 'vitest';
import { createProject, expectSchemaError } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();

test('an export of users is in the audit log, with its actor, format and filters', async () => {
  const project = await createProject(send);
  const admin = { ...project, access: 'admin' } as const;
  for (const filters of [[], ['query', 'team_id'], ['user_ids']]) {
    const answer = await send('POST', '/internal/user-exports', { ...admin, body: { format: 'csv', filters } });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
  }
  const { body } = await send('GET', '/internal/audit-events?type=UsersExported', admin);
  expect(body.items).toMatchObject([
    { text: 'Exported some users (csv)', actor: { kind: 'admin', key_id: expect.any(String) } },
    { text: 'Exported some users (csv)' },
    { text: 'Exported all users (csv)' },
  ]);
  const { body: detail } = await send('GET', `/internal/audit-events/${body.items[1].id}`, admin);
  expect(detail).toMatchObject({
    data: { format: 'csv', filters: ['query', 'team_id'] },
    undo: { state: 'not_reversible' },
  });
});

test('values of filters are not recorded, because they may be personal', async () => {
  const project = await createProject(send);
  const body = { format: 'csv', filters: ['ann@example.com'] };
  expectSchemaError(await send('POST', '/internal/user-exports', { ...project, access: 'admin', body }), 'filters');
});
