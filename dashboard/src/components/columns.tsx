import type { ReactNode } from 'react';
import classes from './columns.module.css';

/** What a page is about, and what goes with it: beside it in a wide window, else below it. */
export function Columns({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>{children}</div>
      <div className={classes.column}>{aside}</div>
    </div>
  );
}
