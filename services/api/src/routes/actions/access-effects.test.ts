import { describe, expect, test } from 'vitest';
import { addMember, asMember } from '../../testing/members.ts';
import { createProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const suite = await startSuite();
const { send } = suite;

describe('a preview of a change of a member', async () => {
  const shop = await createProject(send);
  const member = await addMember(suite, shop, 'developer');
  const path = `/internal/projects/current/members/${member.userId}`;
  const effectsOf = async (write: { method: string; path: string; body?: object }) => {
    const { body } = await send('POST', '/internal/previews', asMember(shop, shop.owner, { body: write }));
    expect(body.error).toBeNull();
    return body.effects;
  };

  test('says who loses access with a removal, and how many keys they may have copied', async () => {
    const people = [{ user_id: member.userId, team_id: null, display_name: null }];
    expect(await effectsOf({ method: 'DELETE', path })).toMatchObject([
      { kind: 'access_lost', count: 1, people },
      { kind: 'keys_kept', count: 1, people: null },
    ]);
  });

  test('of their role says that nobody loses access', async () => {
    expect(await effectsOf({ method: 'PUT', path, body: { role: 'support' } })).toEqual([]);
  });
});
