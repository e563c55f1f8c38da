type Typed = { type: string };

/** `user.*` for `user.created`. */
export const patternOf = (type: string): string => `${type.split('.')[0]}.*`;

export const matches = (pattern: string, type: string): boolean =>
  pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

/** Without the types that a wildcard already contains. */
export const withoutCovered = (patterns: readonly string[]): string[] =>
  patterns.filter((pattern) => !patterns.some((other) => other !== pattern && matches(other, pattern)));

/** The types that patterns stand for. No patterns stand for all types. */
export const typesMatching = <Type extends Typed>(types: readonly Type[], patterns: readonly string[]): Type[] =>
  types.filter(({ type }) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, type)));

/** Options for a list; each group begins with all types of the group. */
export function groupTypes(types: readonly Typed[]): { group: string; items: { value: string; label: string }[] }[] {
  const patterns = [...new Set(types.map(({ type }) => patternOf(type)))];
  return patterns.map((pattern) => ({
    group: nameOfGroup(pattern),
    items: [
      { value: pattern, label: pattern },
      ...typesMatching(types, [pattern]).map(({ type }) => ({ value: type, label: type })),
    ],
  }));
}

/** `team_membership.*` is `Team membership`. */
function nameOfGroup(pattern: string): string {
  const name = pattern.slice(0, -2).replaceAll('_', ' ').replace('api key', 'API key').replace('mfa', 'MFA');
  return name.charAt(0).toUpperCase() + name.slice(1);
}
