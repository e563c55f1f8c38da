import { parseAst } from 'vite';

/** A node of the syntax tree. Only its type is known to all nodes. */
export type Node = { type: string; [property: string]: unknown };

export const parseScript = (code: string): Node => parseAst(code, { lang: 'js' }) as unknown as Node;
export const parseTypes = (code: string): Node => parseAst(code, { lang: 'dts' }) as unknown as Node;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** The node and all nodes inside it. */
export function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesIn(child);
}

/** The name of an identifier, or the value of a text literal. */
export function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Identifier') return node.name as string;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

/** The value of a property of an object expression. */
export function propertyOf(node: unknown, name: string): Node | null {
  if (!isNode(node) || node.type !== 'ObjectExpression') return null;
  const property = (node.properties as Node[]).find(({ key }) => nameOf(key) === name);
  return property === undefined ? null : (property.value as Node);
}

/** The names of the properties that an object expression lists, those in spread conditions too. */
export function keysOf(node: unknown): string[] {
  if (!isNode(node) || node.type !== 'ObjectExpression') return [];
  return (node.properties as Node[]).flatMap((property) => {
    if (property.type === 'SpreadElement') return childrenOf(property.argument as Node).flatMap(keysOf);
    const name = nameOf(property.key);
    return name === null || property.computed === true ? [] : [name];
  });
}
