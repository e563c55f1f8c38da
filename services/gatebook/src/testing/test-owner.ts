import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '@gatebook/api/testing/api';
import { type Answer, createProject, type OwnedProject, senderOf, signUp } from '@gatebook/api/testing/requests';
import { findFreePort } from '@gatebook/runtime/free-port';
import { writeSession } from '../cli/session-file.ts';
import { type LineOptions, runLine } from './run-line.ts';

/** The owner of a project with one user, signed in on the command line to a server that listens. */
export type TestOwner = {
  api: TestApi;
  project: OwnedProject;
  userId: string;
  /** For files of a test. */
  folder: string;
  asAdmin: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** With the options that name the project and the session. */
  run: (line: string, options?: LineOptions) => ReturnType<typeof runLine>;
  close: () => Promise<void>;
};

export async function startTestOwner(): Promise<TestOwner> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const api = await startTestApi({ publicUrl: url, port, history: true });
  await api.app.listen({ port, host: '127.0.0.1' });
  const send = senderOf(api);
  const project = await createProject(send);
  const { userId } = await signUp(send, project);
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-owner-'));
  const sessionFile = join(folder, 'session.json');
  const { refreshToken } = project.owner;
  await writeSession(sessionFile, { url, projectId: 'internal', publishableClientKey: api.keys.client, refreshToken });
  return {
    ...{ api, project, userId, folder },
    asAdmin: (method, path, body) =>
      send(method, path, { ...project, access: 'admin', ...(body !== undefined && { body }) }),
    run: (line, options = {}) => runLine(`${line} --project ${project.projectId}`, { sessionFile, ...options }),
    close: async () => {
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}
