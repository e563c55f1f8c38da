import { beforeAll } from 'vitest';
import { createProject, type OwnedProject, password, type SignedIn, signUp } from '../../../testing/requests.ts';
import { startSuite } from '../../../testing/suite.ts';

export const image = `data:image/png;base64,${Buffer.alloc(300_000).toString('base64')}`;

export const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Starts an API with a project whose audit log has events and a rejection. Await it at the top of the file. */
export async function startExports() {
  const { api, send } = await startSuite();
  const project = await createProject(send);
  const user: SignedIn = await signUp(send, project);

  const asAdmin = (method: string, path: string, body?: unknown, of = project) =>
    send(method, path, { ...of, access: 'admin', ...(body !== undefined && { body }) });
  const download = (query: string, of: OwnedProject = project) =>
    asAdmin('GET', `/internal/audit-events/export?${query}`, undefined, of);

  function rejectSignIn(projectId: string, at: number, userId: string | null = null): void {
    api.deps.rejections.record({
      ...{ projectId, userId, code: 'EMAIL_PASSWORD_MISMATCH', status: 400 },
      ...{ route: 'POST /api/v1/auth/password/sign-in', accessType: 'client', network: '203.0.113.0/24' },
      ...{ requestId: `request-${at}`, actor: null, permission: null, isAccess: true },
      at: new Date(at).toISOString(),
    });
  }

  beforeAll(async () => {
    await asAdmin('PATCH', `/users/${user.userId}`, { display_name: 'Ann' });
    await asAdmin('PATCH', `/users/${user.userId}`, {
      display_name: '=HYPERLINK("https://evil.example")',
      profile_image_url: image,
    });
    const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew' });
    await asAdmin('POST', `/team-memberships/${team.id}/${user.userId}`, {});
    rejectSignIn(project.projectId, Date.now() - 60 * 60_000);
    await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } });
  });

  return { api, send, project, user, asAdmin, download, rejectSignIn };
}
