import type { ChangeTarget, PreviewView } from '@gatebook/contract/previews';
import type { Write } from './actions.ts';
import { newEmail } from './requests.ts';

/** A write that makes the preview of another one outdated. `changed`: what the rejection names. */
export type Interference = { kind: string; changed: ChangeTarget; write: Write };

let count = 0;

/** Writes to what a previewed write stands on: to what it changes or is about, and to the project, always. */
export function interferencesWith(
  projectId: string,
  path: string,
  changes: PreviewView['changes'],
): readonly Interference[] {
  count += 1;
  const joined = /^\/team-memberships\/([^/]+)\//.exec(path)?.[1];
  const targets = [...changes.map(({ target }) => target), { type: 'team', id: joined ?? null } as const];
  const changed: ChangeTarget = { type: 'project', id: projectId };
  const definition = { id: `interfering_${count}` };
  return [
    ...[...new Map(targets.map((target) => [JSON.stringify(target), target])).values()].flatMap(changeOf),
    { kind: 'permission', changed, write: { method: 'POST', path: '/team-permission-definitions', body: definition } },
    {
      kind: 'project',
      changed,
      write: { method: 'PATCH', path: '/internal/projects/current', body: { description: newEmail() } },
    },
  ];
}

function changeOf(changed: ChangeTarget): Interference[] {
  const { type, id } = changed;
  const metadata = { client_metadata: { interfering: count } };
  const patch = (path: string, body: object) => [{ kind: type, changed, write: { method: 'PATCH', path, body } }];
  if (id === null) return [];
  if (type === 'user') return patch(`/users/${id}`, metadata);
  if (type === 'team') return patch(`/teams/${id}`, metadata);
  if (type !== 'membership') return [];
  const image = { profile_image_url: `https://images.example.com/${count}.png` };
  return patch(`/team-member-profiles/${id.replace('.', '/')}`, image);
}
