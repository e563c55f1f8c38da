import { expect } from 'vitest';
import type { AccessType } from '../access-type.ts';
import type { Keys, TestApi } from './api.ts';
import { expectDeclared } from './declared-errors.ts';

export type Call = {
  body?: unknown;
  headers?: Record<string, string>;
  access?: AccessType;
  projectId?: string;
  keys?: Keys;
  /** Access token of the signed-in user. */
  as?: string;
};
export type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes
  body: any;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
};
export type Send = (method: string, path: string, call?: Call) => Promise<Answer>;

const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;

/** Calls the API as somebody: by default as a client of `internal`. Paths are below `/api/v1`. */
export function senderOf({ app, keys }: Pick<TestApi, 'app' | 'keys'>): Send {
  return async (
    method,
    path,
    { body, headers = {}, access = 'client', projectId = 'internal', keys: ownKeys, as } = {},
  ) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      headers: {
        'x-stack-access-type': access,
        'x-stack-project-id': projectId,
        [keyHeaders[access]]: (ownKeys ?? keys)[access],
        ...(as === undefined ? {} : { 'x-stack-access-token': as }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    expectDeclared(method, `/api/v1${path}`, answer);
    return { status: answer.statusCode, body: parsed(answer.body), text: answer.body, headers: answer.headers };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Status, code, header and details of a known error, all at once. */
export function expectKnown(answer: Answer, status: number, code: string, details?: unknown): void {
  expect({ status: answer.status, code: answer.body.code, header: answer.headers['x-stack-known-error'] }).toEqual({
    status,
    code,
    header: code,
  });
  expect(answer.body.error).toEqual(expect.any(String));
  if (details === undefined) expect(Object.keys(answer.body).sort()).toEqual(['code', 'error']);
  else expect(answer.body.details).toEqual(details);
}

/** A rejection without a code: one sentence. */
export function expectPlain(answer: Answer, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.headers['x-stack-known-error']).toBeUndefined();
  expect(answer.text).not.toBe('');
}

export function expectSchemaError(answer: Answer, ...faults: string[]): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'SCHEMA_ERROR' });
  expect(answer.body.details).toEqual({ message: answer.body.error });
  for (const fault of faults) expect(answer.body.error).toContain(fault);
}

let count = 0;
export function newEmail(): string {
  count += 1;
  return `person-${count}@example.com`;
}
export const password = 'correct horse battery';
/** The id of nothing that there is. */
export const unknownId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

export type SignedIn = { accessToken: string; refreshToken: string; userId: string; email: string };

/** A new user of a project, signed in. */
export async function signUp(send: Send, call: Omit<Call, 'body'> = {}, email = newEmail()): Promise<SignedIn> {
  const body = { email, password, verification_callback_url: 'http://localhost/verify' };
  const answer = await send('POST', '/auth/password/sign-up', { ...call, body });
  expect(answer.status).toBe(200);
  const { access_token, refresh_token, user_id } = answer.body;
  return { accessToken: access_token, refreshToken: refresh_token, userId: user_id, email };
}

export type OwnedProject = { projectId: string; keys: Keys; owner: SignedIn };

/** Creates a separate project with a key set, the way an owner does. */
export async function createProject(send: Send, body: Record<string, unknown> = {}): Promise<OwnedProject> {
  const owner = await signUp(send);
  const created = await send('POST', '/internal/projects', {
    as: owner.accessToken,
    body: { display_name: 'App', ...body },
  });
  expect(created.status).toBe(201);
  const projectId = created.body.id as string;
  const key = await send('POST', '/internal/api-keys', {
    projectId,
    access: 'admin',
    headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owner.accessToken },
    body: {
      description: 'all',
      expires_at_millis: Date.parse('2099-01-01'),
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: true,
    },
  });
  expect(key.status).toBe(200);
  const { publishable_client_key: client, secret_server_key: server, super_secret_admin_key: admin } = key.body;
  return { projectId, keys: { client, server, admin }, owner };
}

/** An owner changes Gatebook's own settings. */
export const changeSettings = (send: Send, project: OwnedProject, body: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body });

/** An owner changes the configuration. */
export const changeConfig = (send: Send, project: OwnedProject, config: Record<string, unknown>) =>
  send('PATCH', '/internal/projects/current', { ...project, access: 'admin', body: { config } });
