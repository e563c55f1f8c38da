import type { ReactNode } from 'react';
import classes from './columns.module.css';

type Props = { children: ReactNode; aside: ReactNode; isEven?: boolean };

/**
 * What a page is about, and what goes with it: beside it in a wide window, else below it. `isEven`: both are as wide.
 */
export function Columns({ children, aside, isEven }: Props) {
  return (
    <div className={`${classes.columns} ${isEven ? classes.even : classes.uneven}`}>
      <div className={classes.column}>{children}</div>
      <div className={classes.column}>{aside}</div>
    </div>
  );
}
