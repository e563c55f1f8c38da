import { execFileSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Values } from '../../dashboard/src/features/start/framework.ts';
import { createApiClient, type Send } from '../testing/api-client.ts';
import { frameworkOf, pasteCode } from '../testing/framework-code.ts';
import { createOwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startOnCopy } from '../testing/prepared-data.ts';
import { internalKeys, type Product } from '../testing/product.ts';

/*
 * The code of Get started that needs no package, run as an owner runs it. The frameworks that need packages are in
 * infra/packages/get-started.install.test.ts.
 */

const isMissing = (command: string) => {
  try {
    execFileSync('bash', ['-c', `command -v ${command}`]);
    return false;
  } catch {
    return true;
  }
};

let folder: string;
let product: Product;
let send: Send;
beforeAll(async () => {
  folder = await makePassableFolder('gatebook-get-started-');
  product = await startOnCopy(folder);
  send = createApiClient(product.url, internalKeys);
});
afterAll(async () => {
  await product?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Pastes the code for a new project and runs it. @returns what it printed, and the users of the project */
async function runCode(id: string, { isKeyless = true } = {}) {
  const framework = frameworkOf(id);
  const project = await createOwnedProject(send);
  const asAdmin = { access: 'admin', ...project } as const;
  const settings = { keyless_clients_allowed: isKeyless };
  expect((await send('PATCH', '/internal/projects/current/settings', { ...asAdmin, body: settings })).status).toBe(200);
  const values: Values = {
    apiUrl: product.url,
    projectId: project.projectId,
    secretServerKey: project.keys.server,
    publishableClientKey: isKeyless ? null : project.keys.client,
    clone: '',
    version: '',
  };
  const app = join(folder, `${id}-${isKeyless}`);
  await mkdir(app);
  await pasteCode(framework, values, app);
  const output = execFileSync('bash', ['-ec', framework.run.join('\n')], { cwd: app, encoding: 'utf8' });
  const { body } = await send('GET', '/users', { access: 'server', ...project });
  return { output, users: body.items };
}

describe.each([
  { id: 'python', command: 'python3', printed: 'Signed up: ann@mail.example' },
  { id: 'go', command: 'go', printed: 'Signed up: ' },
  { id: 'curl', command: 'curl', printed: '"refresh_token"' },
])('the code for $id', ({ id, command, printed }) => {
  const reason = isMissing(command) ? `no ${command}` : null;
  test.skipIf(reason)(`signs up the first user${reason ? ` (skipped: ${reason})` : ''}`, async () => {
    const { output, users } = await runCode(id);
    expect(output).toContain(printed);
    expect(users).toMatchObject([{ primary_email: 'ann@mail.example', has_password: true }]);
  });
});

test('the code for curl sends the publishable key where the project asks for one', async () => {
  const { users } = await runCode('curl', { isKeyless: false });
  expect(users).toMatchObject([{ primary_email: 'ann@mail.example' }]);
});
