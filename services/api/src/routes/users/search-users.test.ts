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
const [annEmail, boEmail] = [newEmail(), newEmail()];
const ids: Record<string, string> = {
  ann: (await create({ primary_email: annEmail, password: 'correct horse', country_code: 'se', ...signedUpAt(1) })).body
    .id,
  bo: (
    await create({
      primary_email: boEmail,
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
const emails: Record<string, string> = { [ids.ann ?? '']: annEmail, [ids.bo ?? '']: boEmail };
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

  test.each(['display_name', 'primary_email'])('by %s has pages in both directions', async (orderBy) => {
    const address = (id: string) => (emails[id] ?? '\u{10FFFF}').toLowerCase();
    const keyOf = (id: string) => (orderBy === 'display_name' && id === ids.cy ? 'cy twombly' : address(id));
    const expected = Object.values(ids).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    for (const [desc, order] of [
      ['false', expected],
      ['true', expected.toReversed()],
    ] as const) {
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const from: string = cursor && `&cursor=${cursor}`;
        const query = `order_by=${orderBy}&desc=${desc}&limit=1${from}`;
        const { status, body } = await send('GET', `/internal/users?${query}`, asAdmin);
        expect(status).toBe(200);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.pagination.next_cursor;
      }
      if (orderBy === 'display_name') expect(seen).toEqual(order);
      // Two users have no address.
      else expect(seen.filter((id) => emails[String(id)])).toEqual(order.filter((id) => emails[id]));
      expect(seen).toHaveLength(4);
    }
  });

  test('rejects cursors of other lists', async () => {
    const { body } = await send('GET', '/internal/users?limit=1', asAdmin);
    const { next_cursor } = body.pagination;
    for (const cursor of ['x', 'ff.', `c0.${ids.ann}`, `00.${ids.ann}`, `${'61'.repeat(41)}.${ids.ann}`, next_cursor]) {
      expectSchemaError(await send('GET', `/internal/users?order_by=display_name&cursor=${cursor}`, asAdmin));
    }
    expectSchemaError(await send('GET', `/internal/users?cursor=6161.${'x'.repeat(36)}`, asAdmin));
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
