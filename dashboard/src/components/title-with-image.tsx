import type { ReactNode } from 'react';
import classes from './title-with-image.module.css';

type Props = { image: ReactNode; children: ReactNode; badge?: ReactNode };

/** The title of a page about a user or a team. */
export function TitleWithImage({ image, children, badge }: Props) {
  return (
    <span className={classes.title}>
      {image}
      <span className={classes.name}>{children}</span>
      {badge}
    </span>
  );
}
