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
 * JSON without generated IDs and secrets: null in place of texts, `new` in names of fields. They would be different
 * ones in the write.
 */
export function withoutGenerated<T>(value: T, generated: ReadonlySet<string>): T {
  if (generated.size === 0) return value;
  const nameOf = (name: string) => [...generated].reduce((text, id) => text.replaceAll(id, 'new'), name);
  const hide = (inner: unknown): unknown => {
    if (typeof inner === 'string') return containsAny(inner, generated) ? null : inner;
    if (Array.isArray(inner)) return inner.map(hide);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([name, child]) => {
        const isFieldName = name === 'field' && typeof child === 'string';
        return [nameOf(name), isFieldName ? nameOf(child) : hide(child)];
      }),
    );
  };
  return hide(value) as T;
}
