import { describe, expect, test } from 'vitest';
import { actionsWith } from '../../testing/actions.ts';
import { createProject } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const { createUser, requestPreview: preview, write } = actionsWith(send);

describe('a preview of a permission definition', async () => {
  const project = await createProject(send);
  const define = (id: string, contained: string[] = []) =>
    write(project, {
      method: 'POST',
      path: '/project-permission-definitions',
      body: { id, contained_permission_ids: contained },
    });

  test('lists exactly who gains and loses what', async () => {
    await define('read');
    await define('write');
    await define('editor', ['read', 'write']);
    const [ann, bob, eve] = [
      await createUser(project, { display_name: 'Ann' }),
      await createUser(project, { display_name: 'Bob' }),
      await createUser(project, { display_name: 'Eve' }),
    ];
    const grant = (user: string, id: string) =>
      write(project, { method: 'POST', path: `/project-permissions/${user}/${id}`, body: {} });
    await grant(ann, 'editor');
    await grant(bob, 'editor');
    await grant(bob, 'write');
    await grant(eve, 'read');
    const path = '/project-permission-definitions/editor';
    const narrowed = await preview(project, { method: 'PATCH', path, body: { contained_permission_ids: ['read'] } });
    expect(narrowed.body.effects).toEqual([
      {
        kind: 'permission_lost',
        count: 1,
        text: '1 person loses write',
        permission_id: 'write',
        people: [{ user_id: ann, team_id: null, display_name: 'Ann' }],
        has_more_people: false,
      },
    ]);
    const deleted = await preview(project, { method: 'DELETE', path });
    expect(deleted.body.effects).toMatchObject([
      { kind: 'grants_void', count: 2 },
      { kind: 'permission_lost', count: 2, permission_id: 'editor' },
      { kind: 'permission_lost', count: 2, permission_id: 'read' },
      { kind: 'permission_lost', count: 1, permission_id: 'write', people: [{ user_id: ann }] },
    ]);
    const renamed = await preview(project, { method: 'PATCH', path, body: { id: 'author' } });
    expect(renamed.body.effects).toMatchObject([
      { kind: 'permission_lost', count: 2, permission_id: 'editor' },
      { kind: 'permission_gained', count: 2, permission_id: 'author' },
    ]);
  });
});
