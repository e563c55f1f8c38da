import { type ComponentType, lazy } from 'react';
import { UnknownErrorCard } from './cards.tsx';

/** A page that is loaded when it is shown, so that the sign-in pages stay small. Render it inside `Suspense`. */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(() =>
    load().then(
      (page) => ({ default: page }),
      (error: unknown) => ({ default: () => <UnknownErrorCard error={error} /> }),
    ),
  );
