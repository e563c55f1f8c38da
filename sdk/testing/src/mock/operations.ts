import { type OperationName, responses } from '../responses.ts';
import type { MockedUser, State } from './state.ts';

export type Call = {
  state: State;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Readonly<Record<string, unknown>>;
  /** The signed-in user; null without a session, as in calls with the secret key. */
  user: MockedUser | null;
  /** The refresh token of the session; empty without one. */
  refreshToken: string;
};
/** The body of a response, or a known error. */
export type Reply = { body: unknown; status?: number } | { error: string; status: number; details?: object };
export type Operations = Partial<Record<OperationName, (call: Call) => Reply>>;

export const ok = (body: unknown): Reply => ({ body });
export const done: Reply = { body: { success: true } };
export const reject = (error: string, status: number, details?: object): Reply => ({
  ...{ error, status },
  ...(details && { details }),
});
export const listOf = (items: readonly unknown[]): Reply => ok({ items, is_paginated: false });
/** All of it. */
export const pageOf = (items: readonly unknown[]): Reply =>
  ok({ items, is_paginated: true, pagination: { next_cursor: null } });

/** Null for paths that the API does not have. */
export function findOperation(
  method: string,
  path: string,
): { name: OperationName; params: Record<string, string> } | null {
  for (const { name, expression } of templates) {
    const match = expression.exec(`${method} ${path}`);
    if (match) return { name, params: { ...match.groups } };
  }
  return null;
}

/** What the API description says: the status of a response, and an example of its body. */
export const exampleOf = (name: OperationName): { status: number; body: unknown } => {
  const [status, body] = responses[name];
  return { status, body };
};

/** Paths without parameters first: `/users/me` is none of `/users/{user_id}`. */
const templates = (Object.keys(responses) as OperationName[])
  .toSorted((one, other) => one.split('{').length - other.split('{').length)
  .map((name) => ({
    name,
    expression: new RegExp(`^${name.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }));
