import { html, type Markup } from '../markup.ts';
import { writePage } from '../own-page.ts';
import { inline, paragraphs } from './inline-markdown.ts';
import type { OpenApi, Operation, Schema } from './openapi.ts';
import { script, style } from './reference-assets.ts';
import { methods, notesOn, shownName, shownParameters, slug, typeOf } from './schema-text.ts';

type Call = { method: string; path: string; operation: Operation };

/** The API reference: all operations by tag, with a form to send each, and the shapes that they use. */
export function writeReference(document: OpenApi): { text: string; policy: string } {
  const used = new Set<string>();
  const sections = document.tags.map((tag) => ({ ...tag, calls: callsOf(document, tag.name) }));
  const operations = sections.map(
    ({
      name,
      description = '',
      calls,
    }) => html`<section><h2 id="${slug(name)}">${name}</h2><p>${inline(description)}</p>
      ${calls.map((call) => showCall(call, document, used))}</section>`,
  );
  return writePage({
    title: 'API reference',
    head: html`<span class="note">API reference</span>`,
    body: html`<div class="columns"><nav aria-label="Operations">
        <label>Filter <input type="search" id="filter" autocomplete="off" placeholder="users, POST, email …"></label>
        <p id="count" role="status"></p>
        ${sections.map(listSection)}<a href="#schemas">Schemas</a></nav>
      <main id="main"><h1>API reference</h1>${introduction}${credentials}${operations}
      <section><h2 id="schemas">Schemas</h2><p>Fields marked * are always present in responses and required in requests.</p>
      ${showSchemas(document.components.schemas, used)}</section></main></div>`,
    style,
    script,
  });
}

const introduction = html`<p>Every request to <code>/api/v1</code> names its project and its access type in headers, and sends the key of that access type.
  Errors are <code>{ code, details?, error }</code> or one sentence of plain text. The same reference for programs is the
  <a href="/openapi.json">OpenAPI document</a>.</p>`;

/** Used by the forms, and kept until the tab is closed. */
const credentials = html`<form id="credentials" aria-label="Credentials for trying out">
  <label>Project ID <input name="project" autocomplete="off" spellcheck="false"></label>
  <label>Access type <select name="access"><option>client</option><option>server</option><option>admin</option></select></label>
  <label>Key <input name="key" type="password" autocomplete="off"></label>
  <label>Access token of a user <input name="token" type="password" autocomplete="off"></label></form>`;

const callsOf = ({ paths }: OpenApi, tag: string): readonly Call[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method];
      return operation?.tags?.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );

const idOf = ({ method, path }: Call) => `${method.toLowerCase()}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

function listSection({ name, calls }: { name: string; calls: readonly Call[] }): Markup {
  const links = calls.map(
    (call) =>
      html`<li data-of="${idOf(call)}"><a href="#${idOf(call)}">${call.operation.summary ?? call.path}</a></li>`,
  );
  return html`<a class="tag" href="#${slug(name)}">${name}</a><ul>${links}</ul>`;
}

function showCall(call: Call, document: OpenApi, used: Set<string>): Markup {
  const { method, path, operation } = call;
  const { summary = '', description = '', requestBody, responses = {} } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const sample = body ? JSON.stringify(sampleOf(body, document), null, 2) : '';
  const good = Object.entries(responses).filter(([status]) => !/^[45]/.test(status));
  const rejections = Object.entries(responses).filter(([status]) => /^[45]\d\d$/.test(status));
  return html`<article id="${idOf(call)}" data-method="${method}" data-path="${path}" data-body="${sample}">
    <h3>${summary}</h3><p class="call"><code><b>${method}</b> ${path}</code></p>
    <p class="access">${accessText(operation)}</p>${paragraphs(description)}${showParameters(operation, used)}
    ${body ? html`<p><b>Body</b> ${inline(typeOf(body, used))}</p>` : html``}
    ${good.map(([status, { content }]) => showResponse(status, Object.values(content ?? {})[0]?.schema, used))}
    ${rejections.length > 0 ? html`<details><summary>Errors</summary><ul>${rejections.flatMap(showErrors)}</ul></details>` : html``}
    <details class="try"><summary>Try it</summary></details></article>`;
}

const accessNames: readonly string[] = ['client', 'server', 'admin'];

function accessText({ security = [] }: Operation): string {
  const access = accessNames.filter((name) => security.some((one) => name in one));
  if (access.length === 0) return 'No authentication';
  return `Access: ${access.join(', ')}${security.some((one) => 'user' in one) ? '; with a signed-in user' : ''}`;
}

function showParameters(operation: Operation, used: Set<string>): Markup {
  const rows = shownParameters(operation).map(
    ({ name, in: place, schema = {}, required = false, description = '' }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? ' *' : ''}</th><td>${place}</td><td>${inline(typeOf(schema, used))}</td><td>${inline(description)}</td></tr>`,
  );
  if (rows.length === 0) return html``;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Parameters"><table><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const showResponse = (status: string, schema: Schema | undefined, used: Set<string>): Markup =>
  html`<p><b>${status}</b> ${schema ? inline(typeOf(schema, used)) : 'No content'}</p>`;

const showErrors = ([status, { description = '' }]: [string, { description?: string }]): Markup[] =>
  description.split('\n').map((line) => html`<li>${status} ${inline(line.replace(/^- /, ''))}</li>`);

/** Schemas that operations use, directly or through others, sorted by name. */
function showSchemas(schemas: Readonly<Record<string, Schema>>, used: Set<string>): Markup[] {
  const shown = new Map<string, Markup>();
  // The set grows while it is read.
  for (const name of used) {
    const schema = schemas[name];
    if (schema && !shown.has(shownName(name))) shown.set(shownName(name), showSchema(shownName(name), schema, used));
  }
  return [...shown].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, markup]) => markup);
}

function showSchema(name: string, schema: Schema, used: Set<string>): Markup {
  const { description = '', properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(
    ([field, value]) =>
      html`<tr><th scope="row"><code>${field}</code>${required.includes(field) ? ' *' : ''}</th><td>${inline(typeOf(value, used))}</td><td>${inline(notesOn(value))}</td></tr>`,
  );
  const table = html`<div class="wide" tabindex="0" role="group" aria-label="Fields of ${name}"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<article id="shape-${slug(name)}"><h3>${name}</h3>${paragraphs(description)}
    ${rows.length > 0 ? table : html`<p>${inline(typeOf({ ...schema, description: '' }, used))}</p>`}</article>`;
}

/** A body with the required fields, to fill in. */
function sampleOf(schema: Schema, document: OpenApi, depth = 0): unknown {
  const found = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  const { type, properties = {}, required = [], anyOf, oneOf, enum: values, const: only } = found ?? {};
  if (only !== undefined || values) return only ?? values?.[0];
  const option = (anyOf ?? oneOf)?.[0];
  if (option) return depth > 4 ? null : sampleOf(option, document, depth + 1);
  const [kind] = [type ?? 'object'].flat();
  if (kind === 'array') return [];
  if (kind !== 'object') return kind === 'string' ? '' : kind === 'boolean' ? false : kind === 'null' ? null : 0;
  const fields = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, depth > 4 ? null : sampleOf(value, document, depth + 1)]),
  );
}
