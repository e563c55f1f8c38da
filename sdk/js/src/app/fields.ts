/** `display_name` is `displayName`, and `created_at_millis` is `createdAt`. */
type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type FieldName<Name> = Camel<Name extends `${infer Base}_at_millis` ? `${Base}_at` : Name>;

/** A wire object as apps see it. Metadata belongs to the app and keeps its names. */
export type Fields<View> = View extends readonly (infer Item)[]
  ? Fields<Item>[]
  : View extends object
    ? { [Name in keyof View as FieldName<Name>]: Field<Name, View[Name]> }
    : View;
type Field<Name, Value> = Name extends `${string}_metadata`
  ? Value
  : Name extends `${string}_at_millis`
    ? Date | Extract<Value, null | undefined>
    : Fields<Value>;

const isMetadata = (name: string) => /metadata$/i.test(name);
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Names in camelCase, and times as dates (protocol, client §10). */
export function fromWire<View>(view: View): Fields<View> {
  return convert(view, (name, value) => {
    const isTime = name.endsWith('_at_millis');
    const field = name.replace(/_at_millis$/, '_at').replaceAll(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
    return [field, isTime && typeof value === 'number' ? new Date(value) : value];
  }) as Fields<View>;
}

/** The reverse of `fromWire`, for options of a call. Undefined fields are left out by JSON. */
export function toWire(options: object): Record<string, unknown> {
  return convert(options, (name, value) => {
    const field = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const isTime = field.endsWith('_at') && (value === null || value instanceof Date);
    return isTime ? [`${field}_millis`, value && (value as Date).getTime()] : [field, value];
  }) as Record<string, unknown>;
}

function convert(value: unknown, toField: (name: string, value: unknown) => [string, unknown]): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, toField));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => toField(name, isMetadata(name) ? item : convert(item, toField))),
  );
}

/** The query part of a path; parameters without a value are left out. */
export function queryOf(options: object): string {
  const given = Object.entries(toWire(options)).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
