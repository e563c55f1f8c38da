import { gatebookInternals } from '@gatebook/js';
import { clientOfApp } from '@gatebook/js/core';
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { Bones } from '../handler/card.tsx';
import type { HandlerApp } from '../handler/context.ts';
import { Frame } from '../handler/frame.tsx';
import { type GivenSettings, HandlerProvider } from '../handler/handler-provider.tsx';
import { usePageUrl } from '../handler/location.ts';
import { useGatebookApp } from '../provider.tsx';
import { createResourceCache, type ResourceCache } from '../resource-cache.ts';
import { useLanguageAttributes } from '../texts/use-texts.ts';
import type { AppInternals } from '../use-user-of.ts';
import type { MockData } from './mock-app.ts';

type Parts = { client: HandlerApp; cache: ResourceCache };

/** All components of an app share their data. */
const partsOfApps = new WeakMap<AppInternals[typeof gatebookInternals], Parts>();

export function partsOf(app: AppInternals): Parts {
  const internals = app[gatebookInternals];
  const known = partsOfApps.get(internals);
  if (known) return known;
  const client = clientOfApp(app);
  const cache = createResourceCache({ refreshesOnReturn: true });
  client.session.subscribe(() => void cache.invalidate(['user']));
  partsOfApps.set(internals, { client, cache });
  return { client, cache };
}

type PartProps = {
  /** Whether the component fills the window. */
  fullPage?: boolean | undefined;
  /** In place of the path and query of the page. */
  location?: string | undefined;
  given?: GivenSettings;
  mock?: MockData | undefined;
  children: ReactNode;
};

/** The parts of the app, or of a preview if there is mock data; null while that is loading. */
function useParts(mock: MockData | undefined): Parts | null {
  const app = useGatebookApp();
  const [mocked, setMocked] = useState<Parts | null>(null);
  const text = JSON.stringify(mock);
  useEffect(() => {
    if (text === undefined) return;
    void import('./mock-app.ts').then(({ mockedApp }) =>
      setMocked({ client: mockedApp(partsOf(app).client, JSON.parse(text)), cache: createResourceCache() }),
    );
  }, [app, text]);
  return text === undefined ? partsOf(app) : mocked;
}

/** Renders pages, and parts of them, with the app of the `GatebookProvider`. */
export function Part(props: PartProps) {
  const href = usePageUrl();
  return href === null ? <Waiting {...props} /> : <PartInBrowser {...props} href={href} />;
}

const Waiting = ({ fullPage = false }: Pick<PartProps, 'fullPage'>) => (
  <div className="gbh" data-full-page={fullPage} aria-busy="true">
    <div className="gbh-main">
      <Bones />
    </div>
  </div>
);

type InBrowser = PartProps & { href: string };

function PartInBrowser(props: InBrowser) {
  const parts = useParts(props.mock);
  return parts ? <LoadedPart {...props} {...parts} /> : <Waiting {...props} />;
}

const storeNothing = () => {};

function LoadedPart({ fullPage = false, location, given = {}, ...props }: InBrowser & Parts) {
  const { href, mock, client, cache, children } = props;
  const url = useMemo(() => (location === undefined ? new URL(href) : new URL(location, href)), [location, href]);
  const language = useLanguageAttributes();
  const settings: GivenSettings = {
    ...{ fullPage, isPage: fullPage, automaticRedirect: false },
    ...(mock && { storeLastUsed: storeNothing }),
    ...withoutUndefined(given),
  };
  return (
    <HandlerProvider app={client} cache={cache} url={url} given={settings}>
      {fullPage ? (
        <Frame>{children}</Frame>
      ) : (
        <div className="gbh gbh-part" {...language}>
          <Suspense fallback={<Bones />}>{children}</Suspense>
        </div>
      )}
    </HandlerProvider>
  );
}

/** Absent properties do not replace defaults. */
export const withoutUndefined = <Given extends object>(given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given;
