import { nameOf } from '@gatebook/api/http/define-route';
import type { OpenApi, Operation, Schema } from '@gatebook/api/http/reference/openapi';
import { methods, notesOn, shownName, shownParameters, slug, typeOf } from '@gatebook/api/http/reference/schema-text';
import { routes } from '@gatebook/api/routes/all';
import { errorReference } from './error-reference.ts';

/** The API as Markdown: every operation by tag, and every schema that an operation uses. */
export function apiReference({ tags, paths, components }: OpenApi): string {
  const used = new Set<string>();
  const sections = tags.map(({ name, description = '' }) => {
    const calls = Object.entries(paths).flatMap(([path, operations]) =>
      methods.flatMap((method) => {
        const operation = operations[method];
        return operation?.tags?.includes(name) ? [describeOperation(method.toUpperCase(), path, operation, used)] : [];
      }),
    );
    return `## ${name}\n\n${description}\n\n${calls.join('\n')}`;
  });
  const errors = errorReference((schema) => typeOf(schema, used));
  const shapes = describeShapes(components.schemas, used);
  const contents = [...tags.map(({ name }) => name), 'Errors', 'Schemas'].map(
    (title) => `- [${title}](#${slug(title)})`,
  );
  return [header, `${contents.join('\n')}\n`, ...sections, `## Errors\n\n${errors}`, shapesHeader, shapes].join('\n');
}

const header = `# API

Generated from the OpenAPI document by \`npm run docs\`; a test keeps it up to date. A running Gatebook serves the same reference at
\`/docs\`, where you can try it, and the document at \`/openapi.json\`.

Every request to \`/api/v1\` sends the headers \`x-stack-project-id\`, \`x-stack-access-type\` (\`client\`, \`server\` or \`admin\`) and the
key of that access type: \`x-stack-publishable-client-key\`, \`x-stack-secret-server-key\` or \`x-stack-super-secret-admin-key\`. Project
owners can send \`x-stack-admin-access-token\` instead of a key. \`x-stack-access-token\` identifies the signed-in user. Writes accept an
\`Idempotency-Key\`: if the same write is sent again within 24 hours, the first response is replayed.

Errors are \`{ code, details?, error }\`, with the code also in the header \`x-stack-known-error\` ([all codes](#errors)), or one sentence
of plain text. Errors that every request can return are not listed again for each endpoint: \`SCHEMA_ERROR\` (400) for a malformed
request, with one line per fault; the codes from \`PROJECT_KEY_WITHOUT_ACCESS_TYPE\` to \`INVALID_PROJECT_FOR_ACCESS_TOKEN\` for missing or
wrong headers, keys and tokens; 409 for concurrent changes, which are safe to retry; and 503 with \`retry-after\` when the server is
temporarily unavailable.
`;

const shapesHeader = `## Schemas

Fields marked * are always present in responses and required in requests.
`;

function describeOperation(method: string, path: string, operation: Operation, used: Set<string>): string {
  const { summary = '', description, requestBody, responses = {} } = operation;
  const lines = [`### ${method} ${path}`, '', `${summary}. ${accessText(method, path, operation)}`, ''];
  if (description) lines.push(description, '');
  const shown = shownParameters(operation);
  if (shown.length > 0) {
    lines.push('| Parameter | In | Type | |', '| --- | --- | --- | --- |');
    for (const { name, in: place, schema = {}, required = false, description = '' } of shown) {
      lines.push(
        row(name, place, typeOf(schema, used), [required ? 'required' : '', description].filter(Boolean).join('; ')),
      );
    }
    lines.push('');
  }
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  if (body) lines.push(`Body: ${typeOf(body, used)}${body.description ? ` (${body.description})` : ''}`, '');
  for (const [status, { content }] of Object.entries(responses)) {
    if (/^[45]/.test(status)) continue;
    const schema = Object.values(content ?? {})[0]?.schema;
    lines.push(`Returns ${status}${schema ? `: ${typeOf(schema, used)}` : ''}`, '');
  }
  const rejections = Object.entries(responses).flatMap(([status, { description: words = '' }]) =>
    /^[45]\d\d$/.test(status) ? words.split('\n').map((line) => `- ${status} ${line.replace(/^- /, '')}`) : [],
  );
  if (rejections.length > 0) lines.push('Errors:', '', ...rejections, '');
  return lines.join('\n');
}

const accessOf = new Map(routes.map((route) => [nameOf(route), route.access]));

function accessText(method: string, path: string, { security = [] }: Operation): string {
  const access = accessOf.get(`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
  if (access === undefined || access === 'anyone') return 'No authentication.';
  const needsUser = security.some((one) => 'user' in one);
  const types = access.length === 3 ? 'client, server and admin' : access.join(' and ');
  return `Access: ${types}${needsUser ? ', with a signed-in user' : ''}.`;
}

/** Schemas that operations use, directly or through other schemas, sorted by name. */
function describeShapes(schemas: Readonly<Record<string, Schema>>, used: Set<string>): string {
  const described = new Map<string, string>();
  for (let more = true; more; ) {
    more = false;
    for (const name of used) {
      const schema = schemas[name];
      if (described.has(shownName(name)) || !schema) continue;
      described.set(shownName(name), describeShape(shownName(name), schema, used));
      more = true;
    }
  }
  return [...described]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, text]) => text)
    .join('\n');
}

function describeShape(name: string, schema: Schema, used: Set<string>): string {
  // A section can have the same title, so the anchor has a prefix.
  const lines = [`### <a id="shape-${slug(name)}"></a>${name}`, ''];
  if (schema.description) lines.push(schema.description, '');
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [...lines, typeOf({ ...schema, description: '' }, used), ''].join('\n');
  lines.push('| Field | Type | |', '| --- | --- | --- |');
  for (const [field, value] of fields) {
    const isNeeded = schema.required?.includes(field) ?? false;
    lines.push(row(`${field}${isNeeded ? ' *' : ''}`, typeOf(value, used), notesOn(value)));
  }
  return [...lines, ''].join('\n');
}

const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
