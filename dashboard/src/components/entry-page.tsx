import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColorSchemeToggle } from './color-scheme-toggle.tsx';
import classes from './entry-page.module.css';
import { Wordmark } from './logo.tsx';
import { OverlayRoot } from './overlay-root.tsx';

/** A page outside the dashboard's navigation: setup, not found, startup errors. */
export function EntryPage({ title, lead, children, foot }: EntryPageProps) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Wordmark />
        <ColorSchemeToggle />
      </header>
      <main className={classes.main} id="main">
        <div key={title} className={classes.card}>
          <Title order={1}>{title}</Title>
          {lead && (
            <Text c="dimmed" size="sm" mt={6} component="div">
              {lead}
            </Text>
          )}
          <div className={classes.body}>{children}</div>
        </div>
        {foot && (
          <Text size="sm" c="dimmed" ta="center" component="div" className={classes.foot}>
            {foot}
          </Text>
        )}
        <OverlayRoot />
      </main>
    </div>
  );
}
type EntryPageProps = { title: string; lead?: ReactNode; children: ReactNode; foot?: ReactNode };
