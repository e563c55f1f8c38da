import type { Send } from '../transport.ts';
import type { UrlName } from '../urls.ts';
import type { Cache, Read, Resource, Snapshot } from './cache.ts';

/** Turns a resource into the value of a hook. If an app has it, objects get a `use…` for each read. */
export type UseResource = <Value>(resource: Resource<Value>) => Value;

/** What the objects of an app read and write with. */
export type Context = {
  send: Send;
  cache: Cache;
  useResource?: UseResource | undefined;
  /** The URL for links in emails: the given one, or a page of the app. @throws Error outside a browser */
  callbackUrl(entry: UrlName, given?: string): string;
};

/** A method whose result is cached under `keyOf`, which begins with the path of the request. */
export function createRead<Args extends readonly unknown[], Value>(
  { cache }: Pick<Context, 'cache'>,
  keyOf: (...args: Args) => string,
  fetch: (...args: Args) => Promise<Value>,
): Read<Args, Value> {
  const resource = (...args: Args) => cache.resource(keyOf(...args), () => fetch(...args));
  return Object.assign((...args: Args) => resource(...args).load(), { resource });
}

/** A method that reads one path. */
export function readPath<Args extends readonly unknown[], View, Value>(
  context: Context,
  pathOf: (...args: Args) => string,
  toValue: (view: View, ...args: Args) => Value,
): Read<Args, Value> {
  const fetch = async (...args: Args) => toValue(await context.send<View>('GET', pathOf(...args)), ...args);
  return createRead(context, pathOf, fetch);
}

type ListView<Item> = { items: readonly Item[]; pagination?: { next_cursor: string | null } | undefined };

/** A method that reads a whole list, in several requests if it is long. */
export function readList<Args extends readonly unknown[], View, Value>(
  context: Context,
  pathOf: (...args: Args) => string,
  toValue: (view: View, ...args: Args) => Value,
): Read<Args, Value[]> {
  return createRead(context, pathOf, async (...args: Args) =>
    (await fetchList<View>(context.send, pathOf(...args))).map((view) => toValue(view, ...args)),
  );
}

export async function fetchList<View>(send: Send, path: string): Promise<View[]> {
  const items: View[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: ListView<View> = await send(
      'GET',
      cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ cursor })}`,
    );
    items.push(...page.items);
    cursor = page.pagination?.next_cursor ?? null;
  }
  return items;
}

/** A method that reads through another one. */
export function selectFrom<Args extends readonly unknown[], Source, Value>(
  resourceOf: (...args: Args) => Resource<Source>,
  select: (source: Source, ...args: Args) => Value,
): Read<Args, Value> {
  const resource = (...args: Args): Resource<Value> => {
    const source = resourceOf(...args);
    let last: [Snapshot<Source>, Snapshot<Value>] | null = null;
    return {
      ...source,
      load: async () => select(await source.load(), ...args),
      peek: () => {
        const found = source.peek();
        if (found === null || 'error' in found) return found;
        if (last?.[0] !== found) last = [found, { value: select(found.value, ...args) }];
        return last[1];
      },
    };
  };
  return Object.assign((...args: Args) => resource(...args).load(), { resource });
}

/** Gives an object a `use…` for each of its reads, if the app has a layer for hooks. */
export function withHooks<Target extends object>(
  { useResource }: Pick<Context, 'useResource'>,
  target: Target,
): Target {
  if (!useResource) return target;
  for (const [name, method] of Object.entries(target)) {
    if (!isRead(method)) continue;
    const hook = `use${name.replace(/^(list|get)/, '')}`;
    Object.assign(target, { [hook]: (...args: unknown[]) => useResource(method.resource(...args)) });
  }
  return target;
}

const isRead = (value: unknown): value is Read<unknown[], unknown> =>
  typeof value === 'function' && 'resource' in value;
