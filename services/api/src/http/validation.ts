import { reject } from '@gatebook/domain/errors';
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { addStep } from './steps.ts';

/** Parts of a request in the order in which faults are listed. */
const parts = [
  ['params', 'params'],
  ['body', 'body'],
  ['query', 'querystring'],
  ['headers', 'headers'],
] as const;

/** Leaves the validation to `validateRequests`. */
export const validatorCompiler: FastifySchemaCompiler<unknown> = () => (value) => ({ value });

/**
 * Validates all parts of a request with the zod schemas of its route, after the access check, and replaces them with
 * the parsed values. Fastify's own validation would stop at the first part.
 * @throws DomainError SCHEMA_ERROR
 */
export function validateRequests(app: FastifyInstance): void {
  addStep(app, 'preHandler', (request, _reply, route) => {
    const faults = route.config.needsUser && !request.caller?.user ? ['auth.user is required'] : [];
    const values: Partial<Record<(typeof parts)[number][0], unknown>> = {};
    for (const [part, name] of parts) {
      const schema = schemaOf(request, route, name);
      if (!schema) continue;
      // Fastify sets the body to null if there is none.
      const given: unknown = request[part] ?? undefined;
      const parsed = schema.safeParse(given);
      faults.push(...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(part, issue))));
      if (part !== 'headers') faults.push(...faultsOfTexts(part, given));
      values[part] = parsed.data;
    }
    if (faults.length > 0) rejectRequest(request, faults);
    if (values.params !== undefined) request.params = values.params;
    if (values.body !== undefined) request.body = values.body;
    if (values.query !== undefined) request.query = values.query;
  });
}

/** @throws DomainError SCHEMA_ERROR with one line per fault */
export function rejectRequest(request: FastifyRequest, faults: readonly string[]): never {
  const [path] = request.url.split('?', 1);
  const lines = faults.map((fault) => `  - ${fault}`).join('\n');
  return reject('SCHEMA_ERROR', { message: `The request ${request.method} ${path} has faults:\n${lines}` });
}

function schemaOf(
  { caller }: FastifyRequest,
  { config, schema }: FastifyRequest['routeOptions'],
  name: (typeof parts)[number][1],
): z.ZodType | null {
  const ofCaller = name === 'body' && caller ? config.bodyFor?.[caller.accessType] : undefined;
  const found: unknown = ofCaller ?? schema?.[name];
  return found instanceof z.ZodType ? found : null;
}

function faultsOf(part: string, issue: z.core.$ZodIssue): string[] {
  const path = [part, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') return [`${path} has unknown fields: ${issue.keys.join(', ')}`];
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith('undefined')) {
    return [`${path} is required`];
  }
  return [`${path}: ${issue.message}`];
}

/** Text that Postgres can't store: NUL characters and lone surrogates. */
function faultsOfTexts(path: string, value: unknown): string[] {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? [`${path} contains characters that can’t be stored`] : [];
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(faultsOfTexts('', key).length > 0 ? [`${path} contains a key that can’t be stored`] : []),
    ...faultsOfTexts(`${path}.${key}`, inner),
  ]);
}
