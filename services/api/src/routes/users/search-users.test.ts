import { describe, expect, test } from 'vitest';
import { createProject, expectSchemaError, newEmail } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { userCallsOf } from '../../testing/users.ts';

const { send } = await startSuite();
const project = await createProject(send, { config: { oauth_providers: [{ id: 'google', type: 'shared' }] } });
const { create } = userCallsOf(send, project);
const asAdmin = { ...project, access: 'admin' as const };

const at = Date.parse('2024-05-01T00:00:00Z');
const signedUpAt = (day: number) => ({ signed_up_at_millis: at + day * 86_400_000 });
const ids: Record<string, string> = {
  ann: (await create({ primary_email: newEmail(), password: 'correct horse', country_code: 'se', ...signedUpAt(1) }))
    .body.id,
  bo: (
    await create({
      primary_email: newEmail(),
      primary_email_verified: true,
      restricted_by_admin: true,
      ...signedUpAt(2),
    })
  ).body.id,
  guest: (await create({ is_anonymous: true, ...signedUpAt(3) })).body.id,
  cy: (
    await create({
      display_name: 'Cy Twombly',
      oauth_providers: [{ id: 'google', account_id: 'g1', email: null }],
      ...signedUpAt(4),
    })
  ).body.id,
};
expect(Object.values(ids)).not.toContain(undefined);
const nameOf = (id: string) => Object.entries(ids).find(([, known]) => known === id)?.[0];

async function found(query: string): Promise<unknown[]> {
  const { status, body } = await send('GET', `/internal/users?${query}`, asAdmin);
  expect(status).toBe(200);
  return body.items.map(({ id }: { id: string }) => nameOf(id));
}

describe('a search of users', () => {
  test.each([
    ['', ['ann', 'bo', 'guest', 'cy']],
    ['desc=true', ['cy', 'guest', 'bo', 'ann']],
    ['method=password,google', ['ann', 'cy']],
    ['method=google', ['cy']],
    ['verified=true', ['bo']],
    ['verified=false&anonymous=false', ['ann', 'cy']],
    ['restricted=true', ['bo']],
    ['anonymous=true', ['guest']],
    ['country_code=SE,DE', ['ann']],
    [`signed_up_from_millis=${at + 2 * 86_400_000}&signed_up_until_millis=${at + 4 * 86_400_000}`, ['bo', 'guest']],
    [`active_until_millis=${at + 2 * 86_400_000}&order_by=last_active_at`, ['ann']],
    ['query=twom&restricted=false', ['cy']],
    ['query=twom&restricted=true', []],
  ])('with “%s” finds the users who match', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
    const filters = query.replace(/&?(desc|order_by)=\w+/g, '');
    const { body } = await send('GET', `/internal/users/count?${filters}`, asAdmin);
    expect(body).toEqual({ count: expected.length, is_complete: true });
  });

  test('has pages', async () => {
    const first = await send('GET', '/internal/users?verified=false&limit=2', asAdmin);
    const { next_cursor } = first.body.pagination;
    expect(next_cursor).toMatch(new RegExp(`^\\d+\\.${ids.cy}$`));
    expect(await found(`verified=false&limit=2&cursor=${next_cursor}`)).toEqual(['cy']);
  });

  test('rejects unknown filters and values', async () => {
    for (const query of [
      'verified=maybe',
      'country_code=Sweden',
      'active_in=se',
      'method=',
      'color=red',
      'team_id=x',
    ]) {
      expectSchemaError(await send('GET', `/internal/users?${query}`, asAdmin));
    }
  });
});
