export type AccessType = 'client' | 'server' | 'admin';
export type Keys = Readonly<Record<AccessType, string>>;
export type Call = {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
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
  headers: Headers;
};
export type Send = (method: string, path: string, call?: Call) => Promise<Answer>;

const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;

/** Calls a running Gatebook, by default with client access to project `internal`. Paths are below `/api/v1`. */
export function createApiClient(origin: string, keys: Keys): Send {
  return async (method, path, call = {}) => {
    const { body, headers = {}, access = 'client', projectId = 'internal', as } = call;
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-stack-access-type': access,
        'x-stack-project-id': projectId,
        [keyHeaders[access]]: (call.keys ?? keys)[access],
        ...(as === undefined ? {} : { 'x-stack-access-token': as }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: parsed(text), text, headers: answer.headers };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
