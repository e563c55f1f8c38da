import { type AST, parse } from '@handlebars/parser';

export type Variables = Readonly<Record<string, string>>;

/** A piece of a text: as it was written by whoever made the template, or the value of a variable. */
export type Piece = { kind: 'written'; text: string } | { kind: 'value'; name: string; text: string };

/** Parsing takes longer than in proportion. */
const maxLength = 10_000;
const maxDepth = 8;

/**
 * Reads a text as a Handlebars template of which only `{{ name }}` and `{{#if name}}…{{else}}…{{/if}}` are known, and walks its
 * tree: nothing is compiled, so nothing can run. A text that is anything else is given back as it stands (protocol,
 * projects §7).
 * @param known names that may be used; one without a value is empty
 */
export function interpolate(text: string, variables: Variables, known: readonly string[]): Piece[] {
  if (text.length > maxLength) return [{ kind: 'written', text: text.slice(0, maxLength) }];
  try {
    return piecesOf(parse(text).body, new Map(known.map((name) => [name, givenOf(variables, name)])), 0);
  } catch {
    return [{ kind: 'written', text }];
  }
}

/** The text with its values, where it does not matter who wrote what. */
export function interpolated(text: string, variables: Variables, known: readonly string[]): string {
  return interpolate(text, variables, known)
    .map((piece) => piece.text)
    .join('');
}

function givenOf(variables: Variables, name: string): string {
  return Object.hasOwn(variables, name) ? (variables[name] ?? '') : '';
}

function piecesOf(body: readonly AST.Statement[], values: ReadonlyMap<string, string>, depth: number): Piece[] {
  if (depth > maxDepth) throw new UnknownTemplateError();
  return body.flatMap((statement): Piece[] => {
    switch (statement.type) {
      case 'ContentStatement':
        return [{ kind: 'written', text: (statement as AST.ContentStatement).value }];
      case 'CommentStatement':
        return [];
      case 'MustacheStatement': {
        const { path, params, hash, escaped } = statement as AST.MustacheStatement;
        if (params.length > 0 || hash?.pairs?.length || !escaped) throw new UnknownTemplateError();
        return [{ kind: 'value', name: nameOf(path) ?? '', text: lookUp(path, values) }];
      }
      case 'BlockStatement': {
        const { path, params, hash, program, inverse } = statement as AST.BlockStatement;
        const [condition, ...more] = params;
        const isIf = nameOf(path) === 'if' && condition !== undefined && more.length === 0 && !hash?.pairs?.length;
        if (!isIf || program.blockParams?.length) throw new UnknownTemplateError();
        // Both are read, so that whether a text is a template does not hang on who gets the mail.
        const [then, otherwise] = [program, inverse].map((part) =>
          part ? piecesOf(part.body, values, depth + 1) : [],
        );
        return (lookUp(condition, values) === '' ? otherwise : then) ?? [];
      }
      default:
        throw new UnknownTemplateError();
    }
  });
}

function lookUp(expression: unknown, values: ReadonlyMap<string, string>): string {
  const value = values.get(nameOf(expression) ?? '');
  if (value === undefined) throw new UnknownTemplateError();
  return value;
}

/** A plain name: no path, no `this`, no `@data`, no `../`. */
function nameOf(expression: unknown): string | null {
  const { type, parts, data, depth, original } = expression as Partial<AST.PathExpression>;
  const isPlain = type === 'PathExpression' && parts?.length === 1 && !data && depth === 0;
  return isPlain && typeof original === 'string' && original === parts[0] ? original : null;
}

class UnknownTemplateError extends Error {
  constructor() {
    super('the text is no template of ours');
    this.name = 'UnknownTemplateError';
  }
}
