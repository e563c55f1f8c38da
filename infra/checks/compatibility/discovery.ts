import { closingPages } from './browsing.ts';
import type { Kind } from './kinds.ts';
import { methodsOf } from './methods.ts';
import type { World } from './world.ts';

/** The methods of one kind of object in one version. */
export type Discovered = { kind: Kind; world: World; methods: readonly string[]; signature: string; error: unknown };

/** Finds the methods of a kind on one of its objects. Inherited ones are left out. */
export async function discover(world: World, kind: Kind, isBrowserUsed: boolean): Promise<Discovered> {
  const found = { kind, world, methods: [], signature: '', error: null };
  if (kind.isInBrowser && !isBrowserUsed) {
    const methods = Object.keys(kind.cases).sort();
    return { ...found, methods, signature: methods.join(' ') };
  }
  try {
    const sample = await closingPages(world, kind.sample);
    if (sample === null) return found;
    const base = (await kind.extends?.(world)) ?? null;
    const all = methodsOf(sample);
    const methods = all.filter((name) => base === null || !isInherited(sample, base, name));
    return { ...found, methods, signature: signatureOf(sample) };
  } catch (error) {
    return { ...found, error };
  }
}

/** Objects with equal method names are of one kind. */
export const signatureOf = (object: object): string => methodsOf(object).join(' ');

/** Classes override methods; each plain object has its own functions, so only names count. */
function isInherited(sample: object, base: object, name: string): boolean {
  const [own, inherited] = [Reflect.get(sample, name), Reflect.get(base, name)];
  return Object.hasOwn(sample, name) ? inherited !== undefined : own === inherited;
}
