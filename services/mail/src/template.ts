import { createLruCache } from '@gatebook/runtime/lru-cache';
import { type AST, parse } from '@handlebars/parser';

export type Variables = Readonly<Record<string, string>>;

/** A piece of a rendered text: literal template text or the value of a variable. */
export type Piece = { kind: 'literal'; text: string } | { kind: 'value'; name: string; text: string };

/** Parsing time grows faster than linearly. */
const maxLength = 10_000;
const maxDepth = 8;

const maxParsedBytes = 8_388_608;
/** Approximate size of a syntax tree per character of the text. */
const bytesPerCharacter = 50;
const parsed = createLruCache<readonly AST.Statement[]>(maxParsedBytes);

/**
 * Renders a subset of Handlebars: `{{ name }}` and `{{#if name}}…{{else}}…{{/if}}`. Walks the syntax tree without
 * compiling it, so a template cannot execute code. A text with any other syntax is returned unchanged (protocol,
 * projects §7).
 * @param known names of the available variables; one without a value is empty
 */
export function interpolate(text: string, variables: Variables, known: readonly string[]): Piece[] {
  if (text.length > maxLength) return [{ kind: 'literal', text: text.slice(0, maxLength) }];
  try {
    return evaluate(parseOnce(text), new Map(known.map((name) => [name, findValue(variables, name)])), 0);
  } catch {
    return [{ kind: 'literal', text }];
  }
}

/** Texts of templates are few, and parsing is a third of the work of rendering. */
function parseOnce(text: string): readonly AST.Statement[] {
  const known = parsed.get(text);
  if (known) return known;
  const { body } = parse(text);
  parsed.set(text, body, bytesPerCharacter * (text.length + 20));
  return body;
}

/** The rendered text as one string. */
export function interpolateToString(text: string, variables: Variables, known: readonly string[]): string {
  return interpolate(text, variables, known)
    .map((piece) => piece.text)
    .join('');
}

function findValue(variables: Variables, name: string): string {
  return Object.hasOwn(variables, name) ? (variables[name] ?? '') : '';
}

function evaluate(body: readonly AST.Statement[], values: ReadonlyMap<string, string>, depth: number): Piece[] {
  if (depth > maxDepth) throw new UnsupportedTemplateError();
  return body.flatMap((statement): Piece[] => {
    switch (statement.type) {
      case 'ContentStatement':
        return [{ kind: 'literal', text: (statement as AST.ContentStatement).value }];
      case 'CommentStatement':
        return [];
      case 'MustacheStatement': {
        const { path, params, hash, escaped } = statement as AST.MustacheStatement;
        if (params.length > 0 || hash?.pairs?.length || !escaped) throw new UnsupportedTemplateError();
        return [{ kind: 'value', name: simpleName(path) ?? '', text: lookUp(path, values) }];
      }
      case 'BlockStatement': {
        const { path, params, hash, program, inverse } = statement as AST.BlockStatement;
        const [condition, ...more] = params;
        const isIf = simpleName(path) === 'if' && condition !== undefined && more.length === 0 && !hash?.pairs?.length;
        if (!isIf || program.blockParams?.length) throw new UnsupportedTemplateError();
        // Evaluate both branches, so that the validity of a template does not depend on the recipient.
        const [then, otherwise] = [program, inverse].map((part) =>
          part ? evaluate(part.body, values, depth + 1) : [],
        );
        return (lookUp(condition, values) === '' ? otherwise : then) ?? [];
      }
      default:
        throw new UnsupportedTemplateError();
    }
  });
}

function lookUp(expression: unknown, values: ReadonlyMap<string, string>): string {
  const value = values.get(simpleName(expression) ?? '');
  if (value === undefined) throw new UnsupportedTemplateError();
  return value;
}

/** The name of a simple variable; null for paths, `this`, `@data` and `../`. */
function simpleName(expression: unknown): string | null {
  const { type, parts, data, depth, original } = expression as Partial<AST.PathExpression>;
  const isPlain = type === 'PathExpression' && parts?.length === 1 && !data && depth === 0;
  return isPlain && typeof original === 'string' && original === parts[0] ? original : null;
}

class UnsupportedTemplateError extends Error {
  constructor() {
    super('unsupported template syntax');
    this.name = 'UnsupportedTemplateError';
  }
}
