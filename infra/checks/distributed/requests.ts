import type { Part } from '../../testing/parts.ts';
import { internalKeys } from '../../testing/product.ts';

type Access = 'client' | 'server' | 'admin';
export type Call = {
  body?: unknown;
  access?: Access;
  projectId?: string;
  key?: string;
  /** The access token of an owner, instead of a key. */
  adminToken?: string;
  as?: string;
  refreshToken?: string;
};
export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;

/** Calls an API process, by default with client access to project `internal`. */
export async function send({ url }: Part, method: string, path: string, call: Call = {}): Promise<Answer> {
  const { body, access = 'client', projectId = 'internal', key = internalKeys[access], adminToken } = call;
  const { as, refreshToken } = call;
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'x-stack-access-type': access,
      'x-stack-project-id': projectId,
      ...(adminToken === undefined ? { [keyHeaders[access]]: key } : { 'x-stack-admin-access-token': adminToken }),
      ...(as === undefined ? {} : { 'x-stack-access-token': as }),
      ...(refreshToken === undefined ? {} : { 'x-stack-refresh-token': refreshToken }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return { status: answer.status, body: isJson ? JSON.parse(text) : {}, headers: answer.headers };
}

export const asServer = (call: Call = {}): Call => ({ access: 'server', ...call });
export const password = 'read at the other one';

/**
 * IDs of acknowledged users, counts of stale responses and of requests without a response, and violations as messages.
 */
type Load = { acknowledged: string[]; stale: number; unanswered: number; faults: string[]; stop(): Promise<void> };

/** Creates users at one API and immediately reads each at the other, eight at a time, until it is stopped. */
export function startLoad(apis: () => readonly Part[]): Load {
  let isStopped = false;
  let n = 0;
  const load: Load = {
    acknowledged: [],
    stale: 0,
    unanswered: 0,
    faults: [],
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
  async function once(): Promise<void> {
    const [one, other = one] = n % 2 === 0 ? apis() : [...apis()].reverse();
    n += 1;
    if (!one || !other) return;
    const made = await send(one, 'POST', '/users', asServer({ body: { display_name: `user ${n}` } }));
    if (made.status !== 201) {
      load.faults.push(`a write returned ${made.status}`);
      return;
    }
    load.acknowledged.push(String(made.body.id));
    if (made.headers.get('x-read-model')) load.stale += 1;
    const read = await send(other, 'GET', `/users/${made.body.id}`, asServer());
    if (read.status !== 200)
      load.faults.push(`user ${made.body.id} was acknowledged, but reading it returned ${read.status}`);
  }
  async function work(): Promise<void> {
    while (!isStopped) {
      await once().catch(() => {
        load.unanswered += 1;
      });
    }
  }
  const working = Promise.all(Array.from({ length: 8 }, work));
  return load;
}
