import type { HistoryLocation, RouterHistory } from '@tanstack/history';
import type { ComponentType, ReactNode } from 'react';

export type Location = {
  href: string;
  pathname: string;
  search: Readonly<Record<string, string>>;
  /** Without `#`. */
  hash: string;
  /** Of the entry in the browser's history. */
  key: string;
};
export type Params = Readonly<Record<string, string>>;

type Page = ComponentType;
type Layout = ComponentType<{ children: ReactNode }>;
/** `isOutside`: the target is no page of this router. */
type Target = { href: string; isOutside?: boolean };

export type Route = {
  /** As in `/users/$userId`. */
  path: string;
  /** Null: the path only redirects. */
  page: (() => Promise<Page>) | null;
  /** What the page has around it. It stays while the next page has the same. */
  layout?: () => Promise<Layout>;
  /** Where to go instead; null: nowhere. */
  redirect?: (location: Location, params: Params) => Target | null;
};

/** A page that is loaded. `scrolls`: whether it starts at the top, or where it was left. */
export type Shown = {
  path: string;
  location: Location;
  params: Params;
  Page: Page;
  Layout: Layout | null;
  scrolls: 'to-top' | 'back' | 'not';
};

type Options = {
  routes: readonly Route[];
  history: RouterHistory;
  notFound: Page;
  /** The page instead of one whose code could not be loaded; null when the document is loaded again. */
  failed: (error: unknown) => Page | null;
  /** Goes to a URL that is no page of this router. */
  leave: (href: string) => void;
};
type Match = { route: Route; params: Params };
export type Router = ReturnType<typeof createRouter>;

/** Shows a page once its code is loaded, and the last one until then. */
export function createRouter({ routes, history, notFound, failed, leave }: Options) {
  const forms = routes.map((route) => ({ route, form: formOf(route.path) }));
  const loaded = new Map<Route, Pick<Shown, 'Page' | 'Layout'>>();
  const listeners = new Set<() => void>();
  let shown: Shown | null = null;
  let next = readLocation(history.location);

  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  function match(pathname: string): Match | null {
    for (const { route, form } of forms) {
      const params = form(pathname);
      if (params) return { route, params };
    }
    return null;
  }

  async function load(route: Route): Promise<void> {
    if (!route.page || loaded.has(route)) return;
    const [Page, Layout = null] = await Promise.all([route.page(), route.layout?.()]);
    loaded.set(route, { Page, Layout });
  }

  function update(action: string): void {
    const location = readLocation(history.location);
    const found = match(location.pathname);
    const target = found?.route.redirect?.(location, found.params);
    if (target?.isOutside) leave(target.href);
    else if (target) history.replace(target.href, undefined, { ignoreBlocker: true });
    else open(location, found, action);
  }

  function open(location: Location, found: Match | null, action: string): void {
    next = location;
    const { route = null, params = {} } = found ?? {};
    const scrolls = scrollsAfter(action, location.pathname !== shown?.location.pathname);
    const show = (Page: Page | null, Layout: Layout | null): void => {
      // Another navigation can have begun meanwhile.
      if (next !== location || !Page) return;
      shown = { path: route?.path ?? '', location, params, Page, Layout, scrolls };
      notify();
    };
    const showLoaded = (): void => {
      const { Page = notFound, Layout = null } = (route && loaded.get(route)) ?? {};
      show(Page, Layout);
    };
    if (!route || loaded.has(route)) {
      showLoaded();
      return;
    }
    notify();
    load(route).then(showLoaded, (error: unknown) => show(failed(error), shown?.Layout ?? null));
  }

  history.subscribe(({ action }) => update(action.type));

  return {
    history,
    start: () => update('START'),
    shown: () => shown,
    /** The path of the page that is shown as soon as it is loaded. */
    nextPath: () => next.pathname,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    go: (href: string, { replace = false } = {}): void => {
      if (replace) history.replace(href);
      // A link to the page itself adds no entry to the history.
      else if (href === history.location.href) update('PUSH');
      else history.push(href);
    },
    /** Loads the code of a page that is probably opened soon. */
    preload: (pathname: string): void => {
      const found = match(pathname);
      if (found) load(found.route).catch(() => {});
    },
  };
}

function scrollsAfter(action: string, isNewPath: boolean): Shown['scrolls'] {
  if (action === 'PUSH') return 'to-top';
  if (action === 'REPLACE') return isNewPath ? 'to-top' : 'not';
  return 'back';
}

function readLocation({ href, pathname, search, hash, state }: HistoryLocation): Location {
  return {
    href,
    pathname: pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname,
    search: Object.fromEntries(new URLSearchParams(search)),
    hash: hash.slice(1),
    key: state.__TSR_key ?? '',
  };
}

/** Reads the parameters of a path; null for a path of another form. */
function formOf(path: string): (pathname: string) => Params | null {
  const form = new RegExp(`^${path.replace(/\$(\w+)/g, '(?<$1>[^/]+)')}$`);
  return (pathname) => {
    const found = form.exec(pathname);
    if (!found) return null;
    try {
      const entries = Object.entries(found.groups ?? {});
      return Object.fromEntries(entries.map(([name, value]) => [name, decodeURIComponent(value)]));
    } catch {
      // A malformed escape, as in `/users/%`.
      return null;
    }
  };
}
