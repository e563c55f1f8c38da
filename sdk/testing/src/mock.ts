/** A Gatebook in memory, for tests of an app without a server and without a network. */
import type { GatebookClientAppOptions } from '@gatebook/js';
import { authOperations } from './mock/auth-operations.ts';
import { exampleOf, findOperation, type Operations, ok, type Reply } from './mock/operations.ts';
import { createPage } from './mock/page.ts';
import {
  addTeam,
  addUser,
  createIds,
  type MockedUser,
  projectView,
  type SentEmail,
  type State,
  startSession,
} from './mock/state.ts';
import { userOperations } from './mock/user-operations.ts';
import type { OperationName } from './responses.ts';

export type { OperationName, Reply as MockedReply, SentEmail };
export type MockUser = {
  displayName?: string | null;
  primaryEmail?: string | null;
  primaryEmailVerified?: boolean;
  profileImageUrl?: string | null;
  clientMetadata?: unknown;
  clientReadOnlyMetadata?: unknown;
  serverMetadata?: unknown;
  isAnonymous?: boolean;
  isRestricted?: boolean;
  password?: string;
};
export type MockTeam = {
  displayName?: string;
  profileImageUrl?: string | null;
  clientMetadata?: unknown;
  /** The permissions of the user. */
  permissions?: readonly string[];
};
export type MockOptions = {
  /** Who is signed in; by default Ann, with the address `ann@example.com`. Null: nobody. */
  user?: MockUser | null;
  /** Others, who can sign in. */
  users?: readonly MockUser[];
  /** The teams of the signed-in user. */
  teams?: readonly MockTeam[];
  /** The permissions of that user in the project. */
  permissions?: readonly string[];
  /** Settings of the project, such as `{ passkeyEnabled: true }`. */
  project?: Readonly<Record<string, unknown>>;
  /** Who signs in at providers; by default the first user, or a new one. */
  providerEmail?: string;
};
/** `path` is below `/api/v1`. */
export type MockedRequest = { method: string; path: string; body: unknown };

export type MockGatebook = {
  /** For the constructor of any app: `new GatebookClientApp(mock.options)`, with further options if needed. */
  options: GatebookClientAppOptions & { secretServerKey: string };
  /** Answers a request to the API. */
  fetch(request: Request): Promise<Response>;
  /** Replaces what an operation answers. Null: as before. */
  reply(operation: OperationName, reply: Reply | ((request: MockedRequest) => Reply) | null): void;
  /** IDs of the user who is signed in at first, and of the teams. */
  userId: string | null;
  teamIds: string[];
  /** Oldest first. */
  emails: readonly SentEmail[];
  requests: readonly MockedRequest[];
  /** The URLs that the app left its page for. The last one is the page that it is on. */
  visited: readonly string[];
};

const baseUrl = 'http://gatebook.mock';
const projectId = '00000000-0000-4000-8000-000000000000';
const operations: Operations = { ...authOperations, ...userOperations };
const ann: MockUser = { displayName: 'Ann Achebe', primaryEmail: 'ann@example.com', primaryEmailVerified: true };

/** Sign-in, users, teams and permissions work on data in memory. All other operations answer with an example. */
export function mockGatebook(options: MockOptions = {}): MockGatebook {
  const { state, user, teamIds } = createState(options);
  const replies = new Map<OperationName, Parameters<MockGatebook['reply']>[1]>();
  const requests: MockedRequest[] = [];
  const page = createPage();
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^.*\/api\/v1/, '');
    const body = await readBody(request);
    const mocked = { method: request.method, path, body };
    requests.push(mocked);
    const operation = findOperation(request.method, path);
    if (!operation) return new Response(`Gatebook has no ${request.method} ${path}.`, { status: 404 });
    const given = replies.get(operation.name);
    const refreshToken = refreshTokenOf(request);
    const user = state.users.get(state.sessions.get(refreshToken) ?? '') ?? null;
    const call = { state, body, query: url.searchParams, params: operation.params, user, refreshToken };
    const replied = typeof given === 'function' ? given(mocked) : given;
    return toResponse(
      operation.name,
      replied ?? operations[operation.name]?.(call) ?? ok(exampleOf(operation.name).body),
    );
  };
  const network = {
    fetch: (url: string, init: RequestInit) => answer(new Request(url, init)),
    pause: async () => {},
    random: () => 0.5,
    now: Date.now,
    isOnline: () => true,
  };
  const tokens = user && startSession(state, user);
  return {
    options: {
      ...{ baseUrl, projectId, secretServerKey: 'ssk_mock', parts: { network, location: page, oauthPage: page } },
      tokenStore: { accessToken: tokens?.access_token ?? null, refreshToken: tokens?.refresh_token ?? null },
      redirectMethod: { useNavigate: () => page.assign, navigate: page.assign },
    },
    fetch: answer,
    reply: (operation, reply) => void replies.set(operation, reply),
    userId: user?.view.id ?? null,
    ...{ teamIds, requests, emails: state.emails, visited: page.visited },
  };
}

function createState(options: MockOptions): { state: State; user: MockedUser | null; teamIds: string[] } {
  const { user: given = ann, users = [], teams = [], permissions = [], project = {} } = options;
  const state: State = {
    project: projectView(projectId, toWire(project)),
    ...{ users: new Map(), teams: new Map(), sessions: new Map(), emails: [], codes: new Map() },
    ...{ providerEmail: options.providerEmail ?? given?.primaryEmail ?? 'ann@example.com', createId: createIds() },
  };
  const create = ({ password, ...fields }: MockUser) => addUser(state, toWire(fields), password ?? null);
  const user = given && create(given);
  const teamIds = teams.map(({ permissions: ofTeam = [], ...fields }) => {
    const { id } = addTeam(state, toWire(fields), user);
    user?.teamPermissions.set(id, new Set(ofTeam));
    return id;
  });
  for (const permission of permissions) user?.permissions.add(permission);
  for (const other of users) create(other);
  return { state, user, teamIds };
}

const toWire = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** Requests with a session contain it beside the access token. Empty without a session. */
const refreshTokenOf = ({ headers }: Request): string =>
  headers.get('x-stack-refresh-token') ?? headers.get('x-hexclave-refresh-token') ?? '';

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (request.headers.get('content-type')?.includes('form')) return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? {} : JSON.parse(text);
}

function toResponse(name: OperationName, reply: Reply): Response {
  if (!('error' in reply)) return Response.json(reply.body ?? null, { status: reply.status ?? exampleOf(name).status });
  const { error: code, status, details } = reply;
  return Response.json(
    { code, error: `The mock answered with ${code}.`, ...(details && { details }) },
    { status, headers: { 'x-stack-known-error': code, 'x-stack-actual-status': String(status) } },
  );
}
