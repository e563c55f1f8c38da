import { expect, test } from 'vitest';
import { createClientApp } from './client-app.ts';
import { type FakeAnswer, fakeNetwork, type SentRequest, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

const view = (id: string) => ({ id, display_name: id.toUpperCase(), profile_image_url: null });

function teamsOf(answer: (request: SentRequest) => FakeAnswer) {
  const { network, requests } = fakeNetwork(answer);
  const tokenStore = createMemoryTokenStore({ accessToken: tokenFor(600_000), refreshToken: 'r1' });
  const { teams } = createClientApp({ baseUrl: 'http://gate.test', projectId: 'p1', tokenStore, network });
  const sent = () => requests.map(({ method, url, body }) => [`${method} ${url.replace(/^.*\/v1/, '')}`, body]);
  return { teams, sent };
}

test('teams are listed to their end', async () => {
  const { teams } = teamsOf(({ url }) => {
    const isFirst = !url.includes('cursor=');
    return { json: { items: [view(isFirst ? 'a' : 'b')], pagination: { next_cursor: isFirst ? 'c1' : null } } };
  });
  expect((await teams.list()).map(({ displayName }) => displayName)).toEqual(['A', 'B']);
});

test('the client of teams can be awaited', async () => {
  const { teams } = teamsOf(() => ({ json: {} }));
  expect(await teams).toBe(teams);
});

test('a new team is one of the user, and can be selected', async () => {
  const { teams, sent } = teamsOf(() => ({ json: view('t1') }));
  expect(await teams.create('Red')).toMatchObject({ id: 't1' });
  await teams.select('t1');
  expect(sent()).toEqual([
    ['POST /teams', { display_name: 'Red', creator_user_id: 'me' }],
    ['PATCH /users/me', { selected_team_id: 't1' }],
  ]);
});
