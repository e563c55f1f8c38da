/** Names of an object's methods, its own and inherited ones. Hooks and names with an underscore are not public here. */
export function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let owner = object; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value === 'function' && isPublic(name)) names.add(name);
    }
  }
  return [...names].sort();
}

const isPublic = (name: string) => name !== 'constructor' && !name.startsWith('_') && !/^use[A-Z]/.test(name);

/** Objects with methods inside a value that a method returned. */
export function objectsIn(value: unknown, depth = 4): object[] {
  if (typeof value !== 'object' || value === null || isPlatformObject(value) || depth < 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => objectsIn(item, depth - 1));
  const inside = Object.entries(value)
    .filter(([name]) => !name.startsWith('_'))
    .flatMap(([, property]) => objectsIn(property, depth - 1));
  return methodsOf(value).length > 0 ? [value, ...inside] : inside;
}

const isPlatformObject = (value: object) =>
  value instanceof Date || value instanceof Error || value instanceof Uint8Array || value instanceof URL;
