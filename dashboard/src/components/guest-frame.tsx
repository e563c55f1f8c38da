import type { ReactNode } from 'react';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import { DisplayMenu } from './display-menu.tsx';
import classes from './guest-frame.module.css';
import { Wordmark } from './logo.tsx';
import { OverlayRoot } from './overlay-root.tsx';

/** The layout of pages that a link opens without sign-in: no navigation. */
export function GuestFrame({ children }: { children: ReactNode }) {
  return (
    <div className={classes.frame}>
      <header className={classes.head}>
        <Wordmark />
        <div className={classes.tools}>
          <DisplayMenu />
          <ColorSchemeToggle />
        </div>
      </header>
      <main id="main" className={classes.main}>
        {children}
        <OverlayRoot />
      </main>
    </div>
  );
}
