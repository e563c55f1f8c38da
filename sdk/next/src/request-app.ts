import {
  type ClientAppInternals,
  type ClientAppJson,
  GatebookClientApp,
  type GatebookClientAppOptions,
  gatebookInternals,
} from '@gatebook/js';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { createCookieStore } from './cookie-store.ts';

type App = object & { readonly [gatebookInternals]: ClientAppInternals };
type Method = (...args: readonly unknown[]) => unknown;

/** Ends rendering or the action, and answers with a redirect. */
const navigation = {
  navigate: (url: string) => redirect(url),
  useNavigate: () => (url: string) => redirect(url),
};

/**
 * An app whose methods use the session of the current request, read from its cookies. `needsSession` tells which
 * methods do; the others work outside of requests too.
 */
export function createRequestApp<Created extends App, Options extends GatebookClientAppOptions>(
  create: (options: Options) => Created,
  given: Options,
  needsSession: (method: string, args: readonly unknown[]) => boolean,
): Created {
  const redirectMethod = given.redirectMethod === 'none' ? ('none' as const) : navigation;
  const named: Options = { ...given, tokenStore: given.tokenStore === undefined ? 'nextjs-cookie' : given.tokenStore };
  const app = create({ ...named, redirectMethod });
  const internals: ClientAppInternals = { ...app[gatebookInternals], toClientJson: onceOf(() => clientJson(named)) };
  if (named.tokenStore !== 'nextjs-cookie' && named.tokenStore !== 'cookie')
    return Object.assign(app, { [gatebookInternals]: internals });

  const byRequest = new WeakMap<object, Created>();
  const appOfRequest = async (): Promise<Created> => {
    const jar = await cookies();
    const known = byRequest.get(jar);
    if (known) return known;
    const isHttps = (await headers()).get('x-forwarded-proto')?.startsWith('https') ?? false;
    const tokenStore = createCookieStore(jar, internals.server.projectId, isHttps);
    const created = create({ ...named, uniqueIdentifier: undefined, redirectMethod, tokenStore });
    byRequest.set(jar, created);
    return created;
  };
  const methods = Object.entries(app).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const ofRequest = async (...args: unknown[]) => methodsOf(await appOfRequest())[name]?.(...args);
    return [name, (...args: unknown[]) => (needsSession(name, args) ? ofRequest(...args) : value(...args))];
  });
  return { ...app, ...Object.fromEntries(methods), [gatebookInternals]: internals };
}

const methodsOf = (app: object) => app as Readonly<Record<string, Method | undefined>>;

/** What browsers need to know of the app. */
function clientJson(options: GatebookClientAppOptions): ClientAppJson {
  const { uniqueIdentifier: _, ...shared } = options;
  return new GatebookClientApp({ ...shared, redirectMethod: 'nextjs' })[gatebookInternals].toClientJson();
}

function onceOf<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
