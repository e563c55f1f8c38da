import schema from './ocsf-1.8.0.json' with { type: 'json' };

type Shape = { at_least_one: string[]; attributes: Record<string, string> };
const classes: Readonly<Record<string, Shape & { category_uid: number }>> = schema.classes;
const objects: Readonly<Record<string, Shape>> = schema.objects;
const types: Readonly<Record<string, string>> = schema.types;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string_t: (value) => typeof value === 'string',
  integer_t: Number.isInteger,
  long_t: Number.isInteger,
  boolean_t: (value) => typeof value === 'boolean',
  json_t: () => true,
};

/** What is wrong with an event, by the published schema. Attributes that the schema does not name are faults too. */
export function findFaults(event: Readonly<Record<string, unknown>>): string[] {
  const shape = classes[String(event.class_uid)];
  if (!shape) return [`unknown class ${event.class_uid}`];
  const { category_uid, class_uid, activity_id, type_uid } = event;
  return [
    ...faultsOf(event, shape, 'event'),
    ...(category_uid === shape.category_uid ? [] : ['category_uid']),
    ...(type_uid === Number(class_uid) * 100 + Number(activity_id) ? [] : ['type_uid']),
  ];
}

function faultsOf(value: unknown, { attributes, at_least_one: oneOf }: Shape, path: string): string[] {
  if (!isObject(value)) return [`${path} is not an object`];
  const required = Object.entries(attributes).flatMap(([name, text]) => (text.includes('!') ? [name] : []));
  return [
    ...required.flatMap((name) => (value[name] === undefined ? [`${path}.${name} is missing`] : [])),
    ...(oneOf.length === 0 || oneOf.some((name) => value[name] !== undefined) ? [] : [`${path} lacks ${oneOf}`]),
    ...Object.entries(value).flatMap(([name, child]) => {
      const text = attributes[name];
      return text === undefined ? [`${path}.${name} is unknown`] : faultsOfAttribute(child, text, `${path}.${name}`);
    }),
  ];
}

function faultsOfAttribute(value: unknown, text: string, path: string): string[] {
  const [form = '', ...allowed] = text.split(' ');
  const type = form.replace(/[[\]!]/g, '');
  if (form.includes('[]')) {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    const single = [type, ...allowed].join(' ');
    return value.flatMap((item, nth) => faultsOfAttribute(item, single, `${path}[${nth}]`));
  }
  if (type === 'object') return isObject(value) ? [] : [`${path} is not an object`];
  const shape = objects[type];
  if (shape) return faultsOf(value, shape, path);
  if (!isOfType[types[type] ?? type]?.(value)) return [`${path} is no ${type}`];
  return allowed.length === 0 || allowed.includes(String(value)) ? [] : [`${path} must not be ${value}`];
}
