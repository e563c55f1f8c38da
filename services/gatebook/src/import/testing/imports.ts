import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importedId } from '@gatebook/api/import/prepare-user';
import type { WriteDeps } from '@gatebook/commands/deps';
import { signInWithPassword } from '@gatebook/commands/password/password';
import { createProject } from '@gatebook/commands/project/project';
import { startContext } from '@gatebook/commands/project/seed';
import { DomainError } from '@gatebook/domain/errors';
import { defaultProjectConfig, type ProjectConfig } from '@gatebook/domain/project/config';
import { userDecider } from '@gatebook/domain/user/decide';
import { newId } from '@gatebook/runtime/ids';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { composeWrite } from '../../roles/core.ts';
import { openTestOperator, type TestOperator } from '../../testing/test-operator.ts';

const config: ProjectConfig = {
  ...defaultProjectConfig,
  magicLinkEnabled: true,
  oauthProviders: [
    { id: 'google', type: 'shared' },
    { id: 'acme-eu', type: 'openid', issuer: 'https://id.acme.example', clientId: 'shop', displayName: 'Acme' },
  ],
};
export const googleAccount = { provider: 'google', accountId: '108204268033311374519' };
const password = 'correct horse battery';

export const exportFile = (name: string) => join(import.meta.dirname, 'exports', name);

/** An operator who imports, with a new project for each test. Call it once per file. */
export function startImports() {
  const world = {} as { operator: TestOperator; deps: WriteDeps; folder: string; projectId: string };
  const addProject = async (displayName = 'Shop') => {
    const owner = { displayName, ownerUserId: newId(), config };
    ({ projectId: world.projectId } = await createProject(world.deps, startContext(world.deps), owner));
  };
  beforeAll(async () => {
    const [operator, folder] = await Promise.all([openTestOperator(), mkdtemp(join(tmpdir(), 'gatebook-import-'))]);
    Object.assign(world, { operator, folder, deps: await composeWrite(operator, operator.config) });
  });
  afterAll(async () => {
    await world.operator.close();
    await rm(world.folder, { recursive: true });
  });
  beforeEach(() => addProject());

  const write = async (name: string, text: string) => {
    await writeFile(join(world.folder, name), text);
    return join(world.folder, name);
  };

  /** Imports a file; `report` has the lines of the report, `counts` what was printed as JSON. */
  async function importFile(source: string, file: string, options = '') {
    const report = join(world.folder, `${newId()}.json`);
    const line = `import ${source} ${file} --project ${world.projectId} --report ${report} --json ${options}`.trim();
    const { code, output, errors } = await world.operator.run(line);
    if (output === '') throw new Error(errors);
    const { problems } = JSON.parse(await readFile(report, 'utf8'));
    const brief = problems.map((problem: Record<string, unknown>) => {
      const { line: at, lost, reason, detail } = problem;
      return [at, lost, reason, ...(lost === 'part' && detail ? [detail] : [])].join(' ');
    });
    return { code, errors, report, problems, brief, ...JSON.parse(output) };
  }

  const idOf = (source: string, id: string, kind: 'user' | 'team' = 'user') => {
    const project = { displayName: '', config, permissions: [] };
    return importedId({ projectId: world.projectId, sourceName: source, hasNewIds: false, project }, kind, id);
  };
  async function stateOf(userId: string) {
    const { state } = await world.operator.store.foldStream(`user-${userId}`, userDecider);
    if (state.status !== 'active') throw new Error(`user ${userId} is ${state.status}`);
    return state;
  }
  async function createdOf(userId: string) {
    const { events } = await world.operator.store.readStream(`user-${userId}`);
    return events[0];
  }
  async function signIn(email: string, given = password): Promise<string> {
    const ctx = { projectId: world.projectId, actor: { kind: 'client', id: null }, requestId: 'test' } as const;
    try {
      return (await signInWithPassword(world.deps, ctx, { email, password: given, config })).userId;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return error.code;
    }
  }
  return { world, addProject, write, importFile, idOf, stateOf, createdOf, signIn };
}
