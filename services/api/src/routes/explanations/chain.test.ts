import { expect, test } from 'vitest';
import { createProject, expectKnown, type OwnedProject, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const asAdmin = (method: string, path: string, body?: unknown, of: OwnedProject = project) =>
  send(method, path, { ...of, access: 'admin', ...(body !== undefined && { body }) });
const chainOf = (eventId: string, of = project) =>
  asAdmin('GET', `/internal/audit-events/${eventId}/chain`, undefined, of);
const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);

async function renamedUser() {
  const { userId } = await signUp(send, project);
  const answer = await asAdmin('PATCH', `/users/${userId}`, { display_name: 'Ann' });
  const actionId = String(answer.headers['x-stack-request-id']);
  return { userId, actionId, eventId: await firstEventOf(actionId) };
}

async function firstEventOf(actionId: string): Promise<string> {
  const { body } = await asAdmin('GET', `/internal/audit-events?action_id=${actionId}&order=asc`);
  return body.items[0].id;
}

test('a chain leads from an event up to its request and down to its effects', async () => {
  const first = await renamedUser();
  const undo = async (actionId: string) => {
    const answer = await asAdmin('POST', `/internal/actions/${actionId}/undo`, {});
    expect(answer.status).toBe(200);
    return answer.body.action_id as string;
  };
  const second = await undo(first.actionId);
  const third = await undo(second);
  const [undone, redone] = [await firstEventOf(second), await firstEventOf(third)];
  const empty = { causes: [], effects: [], is_truncated: false };
  const [ofFirst, ofSecond, ofThird] = [await chainOf(first.eventId), await chainOf(undone), await chainOf(redone)];
  expect(ofFirst.body).toMatchObject({
    ...empty,
    action_id: first.actionId,
    effects: [{ id: undone }, { id: redone }],
  });
  expect(ofSecond.body).toMatchObject({
    action_id: first.actionId,
    causes: [{ id: first.eventId }],
    effects: [{ id: redone }],
  });
  expect(ofThird.body).toMatchObject({ action_id: first.actionId, effects: [] });
  expect(idsOf(ofThird.body.causes)).toEqual([undone, first.eventId]);
});

test('a chain has at most 200 effects, and says that there are more', async () => {
  const { userId, eventId } = await renamedUser();
  const stream = `user-${userId}`;
  const { revision } = await api.deps.store.readStream(stream);
  const at = '2026-01-15T12:00:00.000Z';
  const events = Array.from({ length: 250 }, (_, nth) => {
    return { type: 'UserRenamed', data: { userId, displayName: `Name ${nth}`, at } };
  });
  const actor = { kind: 'system', id: null } as const;
  const ids = { requestId: 'effects', correlationId: 'effects', causationId: eventId };
  const { projectId } = project;
  await api.deps.store.append([{ stream, expected: revision, events }], { projectId, actor, ...ids });
  const { body } = await chainOf(eventId);
  expect(body).toMatchObject({ causes: [], is_truncated: true });
  expect(body.effects.map(({ text }: { text: string }) => text)).toEqual(
    Array.from({ length: 200 }, (_, nth) => `Changed the display name to Name ${nth}`),
  );
});

test('a chain shows no event of another project', async () => {
  const { eventId } = await renamedUser();
  const other = await createProject(send);
  expectKnown(await chainOf(eventId, other), 404, 'AUDIT_EVENT_NOT_FOUND');
  expectKnown(await chainOf(unknownId), 404, 'AUDIT_EVENT_NOT_FOUND');
});
