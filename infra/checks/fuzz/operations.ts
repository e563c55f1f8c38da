import type { OpenApi, Schema } from '../../docs/openapi-document.ts';

export type Field = { name: string; schema: Schema };
export type FuzzedOperation = {
  method: string;
  /** With parameters in braces. */
  path: string;
  query: readonly Field[];
  /** null: it takes none. */
  body: Schema | null;
};

/** Operations that would end or slow down the run itself, with the reason. All others are called. */
export const skippedOperations: Readonly<Record<string, string>> = {
  'DELETE /api/v1/internal/projects/current': 'deletes the project of the run',
  'POST /api/v1/internal/operations/rebuilds': 'rebuilds every read model',
  'POST /api/v1/internal/operations/projection-versions/{version_id}/promote': 'replaces the read models of the run',
  'DELETE /api/v1/internal/operations/projection-versions/{version_id}': 'drops the read models of the run',
};

/** Its requests wait longer than the run does before it calls one hung. */
const longPoll = 'wait_in_millis';

export function fuzzedOperations({ paths }: Pick<OpenApi, 'paths'>): FuzzedOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => !(`${method.toUpperCase()} ${path}` in skippedOperations))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters
          .filter(({ in: place, name }) => place === 'query' && name !== longPoll)
          .map(({ name, schema = {} }) => ({ name, schema })),
        body: Object.values(requestBody?.content ?? {})[0]?.schema ?? null,
      })),
  );
}
