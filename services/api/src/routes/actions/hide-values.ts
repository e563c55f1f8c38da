import { containsAny } from '../../http/previews.ts';

/** Fields that contain secrets, in responses, in values of projects and in configuration documents. */
const secretNames = /(password|secret|token|privatekey)$|^config_string$/i;

/** JSON without the values of secret fields. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isSecret = secretNames.test(name) && typeof inner === 'string';
      return [name, isSecret ? null : withoutSecrets(inner)];
    }),
  );
}

/**
 * JSON without generated IDs and secrets, and without the last characters of new keys: null in place of texts, `new` in
 * names of fields. They would be different ones in the write.
 */
export function withoutGenerated<T>(value: T, generated: ReadonlySet<string>): T {
  if (generated.size === 0) return value;
  const nameOf = (name: string) => [...generated].reduce((text, id) => text.replaceAll(id, 'new'), name);
  const isGenerated = (id: unknown) => typeof id === 'string' && containsAny(id, generated);
  /** `isNew`: the JSON is about a thing that the write would create. */
  const hide = (inner: unknown, isNew: boolean): unknown => {
    if (typeof inner === 'string') return isGenerated(inner) ? null : inner;
    if (Array.isArray(inner)) return inner.map((each) => hide(each, isNew));
    if (typeof inner !== 'object' || inner === null) return inner;
    const { id, target, field } = inner as Thing;
    const isNewHere = isNew || isGenerated(id) || isGenerated(target?.id);
    return Object.fromEntries(
      Object.entries(inner).map(([name, child]) => {
        if (name === 'field' && typeof child === 'string') return [name, nameOf(child)];
        const isTail = name === tailName || (field === tailName && (name === 'before' || name === 'after'));
        return [nameOf(name), isTail && isNewHere ? null : hide(child, isNewHere)];
      }),
    );
  };
  return hide(value, false) as T;
}

/** The last characters of a key. */
const tailName = 'last_four';
type Thing = { id?: unknown; target?: { id?: unknown } | null; field?: unknown };
