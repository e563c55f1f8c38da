import { childrenOf, keysOf, type Node, nameOf, nodesIn, parseScript, propertyOf } from './syntax.ts';

/** What a client's code asks of the server: `GET /teams`, and for a call's fields `GET /teams ?limit` or `.name`. */
export type Calls = { paths: string[]; fields: string[] };

const sends = /^send\w*Request\w*$|^_?fetch\w*$/;

/** Finds the calls in the code of a module. */
export function callsIn(code: string): Calls {
  const tree = parseScript(code);
  const found = [...nodesIn(tree)].filter(isFunction).flatMap(callsOfFunction);
  const seen = new Set(found.map(({ source }) => source));
  // Addresses that are not sent by the usual functions, such as those that browsers open.
  const others = urlsIn(tree).filter(({ url, source }) => !seen.has(source) && /^\/[a-z][a-z-]*\/[a-z]/.test(url));
  return {
    paths: [...found.map(({ call }) => call), ...others.map(({ url }) => `URL ${splitUrl(url).path}`)],
    fields: [...new Set(found.flatMap(({ call, fields }) => fields.map((name) => `${call} ${name}`)))],
  };
}

type Found = { call: string; fields: string[]; source: Node };

function callsOfFunction(node: Node): Found[] {
  const nodes = [...nodesOfFunction(node)];
  const searched = nodes.flatMap(searchFieldsIn);
  return nodes.flatMap((call) => {
    if (call.type !== 'CallExpression' || !sends.test(calleeOf(call))) return [];
    const [target, options] = call.arguments as Node[];
    return urlsIn(target).map(({ url, source }) => {
      const { path, queryFields } = splitUrl(url);
      const fields = [...queryFields, ...searched].map((name) => `?${name}`);
      const bodyFields = bodyFieldsIn(options).map((name) => `.${name}`);
      return { call: `${methodIn(options)} ${path}`, fields: [...fields, ...bodyFields], source };
    });
  });
}

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionExpression' || type === 'FunctionDeclaration' || type === 'ArrowFunctionExpression';

/** The nodes of a function without those of functions inside it. */
function* nodesOfFunction(node: Node): Generator<Node> {
  for (const child of childrenOf(node)) {
    yield child;
    if (!isFunction(child)) yield* nodesOfFunction(child);
  }
}

/** Names of query parameters that are set in code: `new URLSearchParams({ … })` and `search.set(name, …)`. */
function searchFieldsIn(node: Node): string[] {
  if (node.type === 'NewExpression' && nameOf(node.callee) === 'URLSearchParams') {
    return (node.arguments as Node[]).flatMap((given) => [...nodesIn(given)].flatMap(keysOf).filter(isWireName));
  }
  if (node.type !== 'CallExpression' || !/^(set|append)$/.test(calleeOf(node))) return [];
  const [name, value] = node.arguments as Node[];
  const isText = name?.type === 'Literal' && value !== undefined;
  return isText && /^[a-z_]+$/.test(String(name.value)) ? [String(name.value)] : [];
}

const calleeOf = ({ callee }: Node): string => {
  const called = callee as Node;
  return nameOf(called.type === 'MemberExpression' ? called.property : called) ?? '';
};

/** Text literals and templates inside an expression that look like a path. */
function urlsIn(expression: Node | undefined): { url: string; source: Node }[] {
  if (expression === undefined) return [];
  return [...nodesIn(expression)].flatMap((node) => {
    const url = node.type === 'TemplateLiteral' ? patternOf(node) : node.type === 'Literal' ? String(node.value) : '';
    const path = url.replace(/^\{\w*\}(?=\/)/, '').replace(/^\/api\/v1(?=\/)/, '');
    return path.startsWith('/') ? [{ url: path, source: node }] : [];
  });
}

/** A template with its expressions in braces, by name where they have one. */
function patternOf(template: Node): string {
  const texts = (template.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  const names = (template.expressions as Node[]).map((given) => `{${nameIn(given)}}`);
  return texts.map((text, index) => text + (names[index] ?? '')).join('');
}

const nameIn = (given: Node): string =>
  nameOf(given) ?? nameOf(given.type === 'MemberExpression' ? given.property : undefined) ?? '';

/** Path parameters lose their names, because those change between versions. */
function splitUrl(url: string): { path: string; queryFields: string[] } {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const queryFields = [...query.matchAll(/(?:^|&)([a-z_]+)=/g)].map(([, name]) => name ?? '');
  // `{path}{query}`: an expression that is glued to a word adds the query.
  return { path: path.replace(/(?<=[^/{])\{\w*\}$/, '').replaceAll(/\{\w*\}/g, '{}'), queryFields };
}

const methodIn = (options: Node | undefined): string => nameOf(propertyOf(options, 'method')) ?? 'GET';

function bodyFieldsIn(options: Node | undefined): string[] {
  const body = propertyOf(options, 'body');
  if (body?.type !== 'CallExpression') return [];
  return keysOf((body.arguments as Node[])[0]).filter(isWireName);
}

const isWireName = (name: string) => /^[a-z]+(_[a-z0-9]+)*$/.test(name);
