import { describe, expect, test } from 'vitest';
import { actionsWith, type Write } from '../../testing/actions.ts';
import { createProject, expectKnown, newEmail, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const { createUser, requestPreview: preview, write } = actionsWith(send);

describe('a write with the ETag of its preview', async () => {
  const project = await createProject(send);
  const etagOf = async (previewed: Write) => ({ 'if-match': `"${(await preview(project, previewed)).body.etag}"` });

  test('is done while nothing has changed', async () => {
    const id = await createUser(project);
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Bob' } };
    expect((await write(project, rename, await etagOf(rename))).body.display_name).toBe('Bob');
  });

  test('check 23: is rejected after an interfering write, and writes nothing', async () => {
    const id = await createUser(project);
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Bob' } };
    const headers = await etagOf(rename);
    await write(project, { method: 'PATCH', path: `/users/${id}`, body: { client_metadata: 1 } });
    const head = await api.deps.store.head();
    expectKnown(await write(project, rename, headers), 412, 'PREVIEW_OUTDATED', { changed: [{ type: 'user', id }] });
    expect(await api.deps.store.head()).toBe(head);
  });

  test('is previewed again with what has happened since', async () => {
    const [id, other] = [await createUser(project, { display_name: 'Ann' }), await createUser(project)];
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { client_metadata: 1 } };
    const since = (await preview(project, rename)).body.etag as string;
    const again = async (etag: string) => (await preview(project, { ...rename, since: etag } as Write)).body;
    expect((await again(since)).changed_since).toEqual([]);
    await write(project, { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Bob' } });
    await write(project, { method: 'PATCH', path: `/users/${other}`, body: { display_name: 'Eve' } });
    const { changed_since, etag } = await again(since);
    const targets = [{ type: 'user', id }];
    const text = 'Changed the display name to Bob';
    expect(changed_since).toEqual([{ type: 'UserRenamed', targets, text, is_technical: false }]);
    expect((await again(etag)).changed_since).toEqual([]);
    expect((await again('no ETag')).changed_since).toBeNull();
    expect((await preview(project, rename)).body.changed_since).toBeNull();
  });

  test('is rejected if something that it only read has changed', async () => {
    const [id, team] = [
      await createUser(project),
      (await write(project, { method: 'POST', path: '/teams', body: { display_name: 'T' } })).body.id,
    ];
    const join = { method: 'POST', path: `/team-memberships/${team}/${id}`, body: {} };
    const headers = await etagOf(join);
    await write(project, { method: 'PATCH', path: `/teams/${team}`, body: { display_name: 'U' } });
    expectKnown(await write(project, join, headers), 412, 'PREVIEW_OUTDATED', {
      changed: [{ type: 'team', id: team }],
    });
  });

  test('is rejected if it is another write', async () => {
    const id = await createUser(project);
    const rename = (display_name: string) => ({ method: 'PATCH', path: `/users/${id}`, body: { display_name } });
    const headers = await etagOf(rename('Bob'));
    expectKnown(await write(project, rename('Eve'), headers), 412, 'PREVIEW_OUTDATED', { changed: [] });
  });

  test('may set another password than the one that was previewed, but not remove it', async () => {
    const id = await createUser(project, { primary_email: newEmail(), password: 'correct horse' });
    const patch = (password: string | null) => ({ method: 'PATCH', path: `/users/${id}`, body: { password } });
    const headers = await etagOf(patch('a previewed one'));
    expectKnown(await write(project, patch(null), headers), 412, 'PREVIEW_OUTDATED', { changed: [] });
    expect((await write(project, patch('battery staple'), headers)).status).toBe(200);
  });

  test('may have an empty body in place of none', async () => {
    const removal = { method: 'DELETE', path: `/users/${await createUser(project)}` };
    expect((await write(project, { ...removal, body: {} }, await etagOf(removal))).status).toBe(200);
  });

  test('is not possible where there is no preview', async () => {
    const answer = await send('POST', '/auth/sessions', {
      ...project,
      access: 'server',
      body: { user_id: unknownId },
      headers: { 'if-match': '"x"' },
    });
    expectKnown(answer, 400, 'PREVIEW_NOT_SUPPORTED');
  });

  test('of many at once is done by one of them', async () => {
    const id = await createUser(project);
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Bob' } };
    const headers = await etagOf(rename);
    const answers = await Promise.all(Array.from({ length: 8 }, () => write(project, rename, headers)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  test('of an undone value is new: the interfering write need not differ', async () => {
    const email = newEmail();
    const id = await createUser(project, { primary_email: email });
    const rename = { method: 'PATCH', path: `/users/${id}`, body: { display_name: 'Bob' } };
    const headers = await etagOf(rename);
    await write(project, rename);
    await write(project, { method: 'PATCH', path: `/users/${id}`, body: { display_name: null } });
    expect((await write(project, rename, headers)).status).toBe(412);
  });
});
