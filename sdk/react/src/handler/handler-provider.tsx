import type { ReactNode } from 'react';
import type { ResourceCache } from '../resource-cache.ts';
import { ResourceCacheContext } from '../use-resource.ts';
import { type HandlerApp, HandlerContext, type HandlerSettings } from './context.ts';
import { storeLastUsed } from './last-used.ts';

export type GivenSettings = Partial<Omit<HandlerSettings, 'app' | 'url'>>;
type HandlerProviderProps = {
  app: HandlerApp;
  cache: ResourceCache;
  url: URL;
  given: GivenSettings;
  children: ReactNode;
};

const defaults: Omit<HandlerSettings, 'app' | 'url'> = {
  productName: null,
  brand: null,
  backdrop: null,
  fullPage: true,
  firstTab: 'magic-link',
  termsUrl: null,
  privacyUrl: null,
  extraInfo: null,
  noPasswordRepeat: false,
  automaticRedirect: true,
  extraItems: [],
  storeLastUsed,
  isPage: true,
};

/** What the pages and their parts are rendered in. */
export function HandlerProvider({ app, cache, url, given, children }: HandlerProviderProps) {
  return (
    <ResourceCacheContext.Provider value={cache}>
      <HandlerContext.Provider value={{ ...defaults, ...given, app, url }}>{children}</HandlerContext.Provider>
    </ResourceCacheContext.Provider>
  );
}
