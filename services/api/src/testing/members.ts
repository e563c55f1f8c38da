import { addOwner } from '@gatebook/commands/project/project';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import { expect } from 'vitest';
import { type Call, type OwnedProject, type SignedIn, signUp } from './requests.ts';
import type { Suite } from './suite.ts';

type Administered = Pick<OwnedProject, 'projectId'> & { owner: SignedIn };

/** Sends as a member of the project, with an admin access token. */
export const asMember = ({ projectId }: Pick<OwnedProject, 'projectId'>, member: SignedIn, call: Call = {}): Call => ({
  projectId,
  access: 'admin',
  ...call,
  headers: {
    'x-stack-super-secret-admin-key': '',
    'x-stack-admin-access-token': member.accessToken,
    ...call.headers,
  },
});

/** A new user of `internal` with a role in the project. */
export async function addMember({ api, send }: Suite, project: Administered, role: ProjectRole): Promise<SignedIn> {
  const { deps } = api;
  const member = await signUp(send);
  const ctx = {
    projectId: project.projectId,
    actor: { kind: 'owner', id: project.owner.userId },
    requestId: deps.newId(),
  } as const;
  const { position } = await addOwner(deps, ctx, { userId: member.userId });
  if (position !== null) await deps.readModels.reached(position, undefined, [project.projectId]);
  const path = `/internal/projects/current/members/${member.userId}`;
  const { status } = await send('PUT', path, asMember(project, project.owner, { body: { role } }));
  expect(status).toBe(200);
  return member;
}
