import { reject } from '@gatebook/domain/errors';
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import type { FaultTexts } from './english-faults.ts';
import { errorLanguageOf } from './error-language.ts';
import { faultTexts } from './fault-texts.ts';
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
    const { faults, values } = parseParts(request, route, faultTexts.en);
    if (faults.length > 0) rejectRequest(request, faults, (texts) => parseParts(request, route, texts).faults);
    if (values.params !== undefined) request.params = values.params;
    if (values.body !== undefined) request.body = values.body;
    if (values.query !== undefined) request.query = values.query;
  });
}

type Values = Partial<Record<(typeof parts)[number][0], unknown>>;

function parseParts(
  request: FastifyRequest,
  route: FastifyRequest['routeOptions'],
  texts: FaultTexts,
): { faults: readonly string[]; values: Values } {
  const faults = route.config.needsUser && !request.caller?.user ? [texts.required('auth.user')] : [];
  const values: Values = {};
  for (const [part, name] of parts) {
    const schema = schemaOf(request, route, name);
    if (!schema) continue;
    // Fastify sets the body to null if there is none.
    const given: unknown = request[part] ?? undefined;
    const parsed = schema.safeParse(given, texts.issue && { error: texts.issue });
    faults.push(...(parsed.success ? [] : parsed.error.issues.map((issue) => faultOf(texts, part, issue))));
    if (part !== 'headers') faults.push(...faultsOfTexts(texts, part, given));
    values[part] = parsed.data;
  }
  return { faults, values };
}

/**
 * `inLanguage`: the faults in another language; absent: by the texts of `faults`.
 * @throws DomainError SCHEMA_ERROR with one line per fault
 */
export function rejectRequest(
  request: FastifyRequest,
  faults: readonly string[],
  inLanguage: (texts: FaultTexts) => readonly string[] = (texts) => faults.map(texts.own),
): never {
  const { method, url } = request;
  const [path = ''] = url.split('?', 1);
  const list = (texts: FaultTexts, lines: readonly string[]) =>
    [texts.list(method, path), ...lines.map((fault) => `  - ${fault}`)].join('\n');
  const message = list(faultTexts.en, faults);
  if (errorLanguageOf(request) === 'en') return reject('SCHEMA_ERROR', { message });
  return reject('SCHEMA_ERROR', { message, inGerman: list(faultTexts.de, inLanguage(faultTexts.de)) });
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

function faultOf(texts: FaultTexts, part: string, issue: z.core.$ZodIssue): string {
  const path = [part, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') return texts.unknownFields(path, issue.keys.join(', '));
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith('undefined')) {
    return texts.required(path);
  }
  return `${path}: ${texts.own(issue.message)}`;
}

/** Text that Postgres can't store: NUL characters and lone surrogates. */
function faultsOfTexts(texts: FaultTexts, path: string, value: unknown): string[] {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? [texts.unstorableText(path)] : [];
  }
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(faultsOfTexts(texts, '', key).length > 0 ? [texts.unstorableKey(path)] : []),
    ...faultsOfTexts(texts, `${path}.${key}`, inner),
  ]);
}
