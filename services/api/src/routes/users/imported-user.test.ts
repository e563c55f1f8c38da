import { newId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, userCallsOf } from '../../testing/users.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { create_team_on_sign_up: true } });
const other = await createProject(send);
const { create } = userCallsOf(send, project);
const createElsewhere = userCallsOf(send, other).create;
const dayMs = 86_400_000;

test('an imported user keeps ID and time of the sign-up, and signs in', async () => {
  const [id, email] = [newId(), newEmail()];
  const signed_up_at_millis = Date.parse('2019-02-03T04:05:06.789Z');
  const address = { primary_email: email, primary_email_auth_enabled: true };
  const created = await create({ id: id.toUpperCase(), signed_up_at_millis, ...address, password });
  expect({ status: created.status, body: created.body }).toMatchObject({
    status: 201,
    body: { id, signed_up_at_millis },
  });
  const signIn = await send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });
  expect(signIn.body.user_id).toBe(id);
  const claims = JSON.parse(Buffer.from(signIn.body.access_token.split('.')[1], 'base64url').toString());
  expect(claims).toMatchObject({ sub: id, signed_up_at: Math.floor(signed_up_at_millis / 1_000) });
  const refreshed = await send('POST', '/auth/sessions/current/refresh', {
    ...project,
    headers: { 'x-stack-refresh-token': signIn.body.refresh_token },
  });
  const later = JSON.parse(Buffer.from(refreshed.body.access_token.split('.')[1], 'base64url').toString());
  expect(later.signed_up_at).toBe(claims.signed_up_at);
});

test('a list by sign-up has imported users where they signed up, on every page', async () => {
  const fresh = await createProject(send);
  const calls = userCallsOf(send, fresh);
  const times = [3, 1, 2, 1].map((days) => Date.now() - days * dayMs);
  for (const signed_up_at_millis of times) await calls.create({ signed_up_at_millis });
  await calls.create({});
  const listed: number[] = [];
  for (let cursor = ''; cursor !== 'end'; ) {
    const query = `/users?order_by=signed_up_at&limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await send('GET', query, { ...fresh, ...asServer });
    listed.push(...body.items.map((user: { signed_up_at_millis: number }) => user.signed_up_at_millis));
    cursor = body.pagination.next_cursor ?? 'end';
  }
  expect(listed).toHaveLength(5);
  expect(listed).toEqual(listed.toSorted((one, two) => one - two));
  expect(listed.slice(0, 4)).toEqual(times.toSorted((one, two) => one - two));
});

test('a time in the future is rejected, except for the drift of a clock', async () => {
  expectPlain(await create({ signed_up_at_millis: Date.now() + dayMs }), 400);
  expectSchemaError(await create({ signed_up_at_millis: -1 }), 'body.signed_up_at_millis');
  const created = await create({ signed_up_at_millis: Date.now() + 10_000 });
  expect(created.status).toBe(201);
  expect(created.body.signed_up_at_millis).toBeLessThan(Date.now() + 5_000);
});

test('an ID in use is rejected, in the own project and in every other', async () => {
  const [{ id }, elsewhere] = [(await create({})).body, (await createElsewhere({})).body];
  for (const taken of [id, elsewhere.id, project.owner.userId, project.projectId]) {
    expectPlain(await create({ id: taken }), 409);
  }
  expect((await send('GET', `/users/${elsewhere.id}`, { ...other, ...asServer })).status).toBe(200);
  for (const malformed of ['not a UUID', '', 7]) expectSchemaError(await create({ id: malformed }), 'body.id');
  expectPlain(await create({ id: '00000000-0000-0000-0000-000000000000' }), 409);
});

test('the ID of a team is rejected: deleting the user would erase the team', async () => {
  const { selected_team_id: personal, id } = (
    await send('GET', `/users/${(await create({})).body.id}`, { ...project, ...asServer })
  ).body;
  const call = { ...project, ...asServer, body: { display_name: 'Team', creator_user_id: id } };
  const team = (await send('POST', '/teams', call)).body.id;
  for (const taken of [personal, team]) expectPlain(await createElsewhere({ id: taken }), 409);
});

test('the ID of a deleted user is rejected', async () => {
  const { id } = (await create({})).body;
  expect((await send('DELETE', `/users/${id}`, { ...project, ...asServer })).status).toBe(200);
  expectPlain(await create({ id }), 409);
});

test('of concurrent imports with one ID, one succeeds', async () => {
  const id = newId();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => (nth % 2 ? create : createElsewhere)({ id })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
});

test('a rejected import can be repeated with its ID', async () => {
  const [id, email] = [newId(), newEmail()];
  const address = { primary_email: email, primary_email_auth_enabled: true };
  await create(address);
  expectKnown(await create({ id, ...address }), 409, 'USER_EMAIL_ALREADY_EXISTS', { email });
  expect((await create({ id, primary_email: email })).body.id).toBe(id);
});

test('clients do not choose ID and time of the sign-up', async () => {
  const body = { email: newEmail(), password, id: newId(), signed_up_at_millis: 0 };
  expectSchemaError(await send('POST', '/auth/password/sign-up', { ...project, body }), 'unknown fields');
  const patch = userCallsOf(send, project).patch;
  const { id } = (await create({})).body;
  for (const fact of [{ id: newId() }, { signed_up_at_millis: 0 }]) {
    expectSchemaError(await patch(id, fact), 'unknown fields');
  }
  expect((await api.deps.store.readStream(`user-${id}`)).events[0]?.data.signedUpAt).toBeUndefined();
});
