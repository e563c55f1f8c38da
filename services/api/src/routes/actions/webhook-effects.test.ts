import { expect, test, vi } from 'vitest';
import { actionOf, actionsWith, patchUser, type Write } from '../../testing/actions.ts';
import type { OwnedProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const { write, read, preview, createWorld } = actionsWith(send);

const url = 'https://hooks.example/in';
const addEndpoint = async (project: OwnedProject, types: readonly string[] | null): Promise<string> =>
  (await write(project, { method: 'POST', path: '/webhooks/endpoints', body: { url, types } })).body.id;
const effectOf = async (project: OwnedProject, previewed: Write) => {
  const { error, effects } = await preview(project, previewed);
  expect(error).toBeNull();
  return effects.find(({ kind }: { kind: string }) => kind === 'webhook');
};

test('a preview counts the webhook endpoints that receive an event', async () => {
  const { project, user } = await createWorld();
  const rename = patchUser(user, { display_name: 'Bob' });
  expect(await effectOf(project, rename)).toBeUndefined();
  const all = await addEndpoint(project, null);
  await addEndpoint(project, ['user.*']);
  await addEndpoint(project, ['team.created']);
  expect(await effectOf(project, rename)).toMatchObject({
    ...{ count: 2, text: 'Sends events to 2 webhook endpoints: user.updated' },
    ...{ permission_id: null, people: null, has_more_people: false },
  });
  const disable = { method: 'PATCH', path: `/webhooks/endpoints/${all}`, body: { is_enabled: false } };
  // The endpoint itself is not told that it was disabled.
  expect(await effectOf(project, disable)).toBeUndefined();
  await write(project, disable);
  expect((await effectOf(project, rename)).count).toBe(1);
});

test('the types of a preview are those of the events that the write becomes', async () => {
  const { project, user, team, channel, key, other } = await createWorld();
  await addEndpoint(project, null);
  const newcomer = (await write(project, { method: 'POST', path: '/users', body: {} })).body.id;
  const remove = (path: string): Write => ({ method: 'DELETE', path });
  const writes: Write[] = [
    patchUser(user, { display_name: 'Bob', password: 'correct horse' }),
    { method: 'POST', path: '/users', body: { display_name: 'Eve', primary_email: 'eve@mail.example' } },
    { method: 'POST', path: '/teams', body: { display_name: 'Night shift', creator_user_id: user } },
    { method: 'POST', path: `/team-memberships/${team}/${newcomer}`, body: {} },
    remove(`/team-memberships/${team}/${newcomer}`),
    patchUser(user, { selected_team_id: team }),
    { method: 'PATCH', path: `/contact-channels/${user}/${other}`, body: { is_primary: true } },
    remove(`/contact-channels/${user}/${channel}`),
    { method: 'PATCH', path: `/user-api-keys/${key}?user_id=${user}`, body: { revoked: true } },
    { method: 'PATCH', path: '/internal/projects/current', body: { description: 'A shop' } },
    remove('/team-permission-definitions/billing'),
    remove(`/teams/${team}`),
    { method: 'POST', path: `/internal/teams/${team}/restore`, body: {} },
    remove(`/team-memberships/${team}/${user}`),
    remove(`/users/${user}`),
    { method: 'POST', path: `/internal/users/${user}/restore`, body: {} },
    remove(`/users/${newcomer}`),
  ];
  for (const each of writes) {
    const { text = '' } = (await effectOf(project, each)) ?? {};
    const answer = await write(project, each);
    expect(answer.status).toBeLessThan(300);
    const typesOf = async () => {
      const { items } = await read(project, '/events?limit=1000');
      const own = items.filter((event: { request_id: string }) => event.request_id === actionOf(answer));
      return [...new Set(own.map(({ type }: { type: string }) => type))].sort();
    };
    const previewed = (text.split(': ')[1] ?? '').split(', ').sort();
    await vi.waitFor(async () => expect({ each, types: await typesOf() }).toEqual({ each, types: previewed }));
  }
});
