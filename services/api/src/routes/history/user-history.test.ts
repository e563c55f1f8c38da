import { createLogger } from '@gatebook/runtime/logger';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { createProject, senderOf, signUp } from '../../testing/requests.ts';

test('reading a user’s history is logged with the reader', async () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => lines.push(line) });
  const api = await startTestApi({ logger });
  const send = senderOf(api);
  const project = await createProject(send);
  const { userId } = await signUp(send, project);
  const headers = {
    'x-stack-super-secret-admin-key': '',
    'x-stack-admin-access-token': project.owner.accessToken,
  };
  const answer = await send('GET', `/internal/users/${userId}/history`, { ...project, access: 'admin', headers });
  expect(answer.status).toBe(200);
  const reads = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'history read');
  expect(reads).toMatchObject([
    {
      projectId: project.projectId,
      userId,
      time: expect.anything(),
      requestId: answer.headers['x-stack-request-id'],
      actor: { kind: 'owner', id: project.owner.userId },
    },
  ]);
  await api.close();
});
