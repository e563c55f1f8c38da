import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page.module.css';

/** The frame of a page: title, lead and actions above its content. */
export function Page({ title, lead, actions, children, back, isNarrow = false }: PageProps) {
  return (
    <div className={classes.page}>
      {back && <div className={classes.back}>{back}</div>}
      <header className={classes.head}>
        <div className={classes.titles}>
          <Title order={1}>{title}</Title>
          {lead && (
            <Text c="dimmed" size="sm" component="div" className={classes.lead}>
              {lead}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {isNarrow ? <div className={classes.narrow}>{children}</div> : children}
    </div>
  );
}
type PageProps = {
  title: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  back?: ReactNode;
  isNarrow?: boolean;
};
