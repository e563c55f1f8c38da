import {
  Component,
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Location, Params, Router, Shown } from './router.ts';
import type { ScrollPositions } from './scroll-positions.ts';

const RouterContext = createContext<Router | null>(null);
const ShownContext = createContext<Shown | null>(null);
const FallbackContext = createContext<Fallback>(() => null);

type Fallback = (error: unknown) => ReactNode;

/** @throws Error outside of `RouterView` */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error('useRouter must be used within a RouterView');
  return router;
}

function useShown(): Shown {
  const shown = useContext(ShownContext);
  if (!shown) throw new Error('there is no page outside of a RouterView');
  return shown;
}

/** Of the page that is shown, until the next one is loaded. */
export const useLocation = (): Location => useShown().location;
export const useParams = (): Params => useShown().params;

/** The path of the page that is shown as soon as it is loaded. */
export function useNextPath(): string {
  const { subscribe, nextPath } = useRouter();
  return useSyncExternalStore(subscribe, nextPath);
}

type ViewProps = {
  router: Router;
  positions: ScrollPositions;
  /** Instead of a page that fails while it renders. */
  fallback: Fallback;
  /** Contains an `Outlet`. */
  children: ReactNode;
};

export function RouterView({ router, positions, fallback, children }: ViewProps) {
  const [shown, setShown] = useState(router.shown);
  useEffect(() => {
    let last: Shown | null = null;
    const follow = (): void => {
      if (last) positions.keep(last.location.key);
      const next = router.shown();
      const show = (): void => setShown(next);
      // What somebody does next on the same page has to start from its new query.
      if (next?.Page === last?.Page) show();
      else startTransition(show);
      last = next;
    };
    const stop = router.subscribe(follow);
    follow();
    return stop;
  }, [router, positions]);
  useLayoutEffect(() => {
    if (!shown) return;
    document.documentElement.dataset.shown = shown.location.href;
    return positions.apply(shown);
  }, [shown, positions]);
  if (!shown) return null;
  return (
    <RouterContext value={router}>
      <ShownContext value={shown}>
        <FallbackContext value={fallback}>
          <Boundary at={shown} fallback={fallback}>
            {children}
          </Boundary>
        </FallbackContext>
      </ShownContext>
    </RouterContext>
  );
}

/** The page that is shown, within its layout. */
export function Outlet() {
  const shown = useShown();
  const { path, Page, Layout } = shown;
  const page = (
    <Boundary at={shown} fallback={useContext(FallbackContext)}>
      <Page key={path} />
    </Boundary>
  );
  return Layout ? <Layout>{page}</Layout> : page;
}

type BoundaryProps = { at: Shown; fallback: Fallback; children: ReactNode };
type BoundaryState = { at: Shown | null; failure: { error: unknown } | null };

/** Catches errors until another page is shown. React has a class for that, and no hook. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { at: null, failure: null };
  static getDerivedStateFromError = (error: unknown): Partial<BoundaryState> => ({ failure: { error } });
  static getDerivedStateFromProps = ({ at }: BoundaryProps, state: BoundaryState): BoundaryState | null =>
    at === state.at ? null : { at, failure: null };
  override render(): ReactNode {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error) : this.props.children;
  }
}
