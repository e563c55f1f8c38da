import { Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { BarriersContext, useBarriers } from '../lib/barriers.ts';
import { useMoment } from '../lib/moment.ts';
import { AppLink } from './app-link.tsx';
import classes from './page.module.css';
import { BarrierNote, Writing } from './writing.tsx';

/**
 * The frame of a page: title, lead, tools and actions above its content. Tools only read. Actions change something, so
 * the past has none, and the person's role has to allow them. The frame says why controls of the page are disabled.
 */
export function Page({ title, lead, tools, actions, children, back, isNarrow = false }: PageProps) {
  const isPast = useMoment().value !== null;
  const noteId = useId();
  const { found, barriers } = useBarriers(noteId);
  return (
    <BarriersContext value={barriers}>
      <div className={classes.page}>
        {back && (
          <AppLink href={back.href} size="sm" className={classes.back}>
            <IconArrowLeft size={14} aria-hidden /> {back.label}
          </AppLink>
        )}
        <header className={classes.head}>
          <div className={classes.titles}>
            <Title order={1}>{title}</Title>
            {lead && (
              <Text c="dimmed" size="sm" component="div" className={classes.lead}>
                {lead}
              </Text>
            )}
            <BarrierNote found={found} id={noteId} />
          </div>
          {(tools || (actions && !isPast)) && (
            <div className={classes.actions}>
              {tools}
              {actions && !isPast && <Writing>{actions}</Writing>}
            </div>
          )}
        </header>
        {isNarrow ? <div className={classes.narrow}>{children}</div> : children}
      </div>
    </BarriersContext>
  );
}
/** The page that lists what a page shows. */
export type BackLink = { href: string; label: string };
type PageProps = {
  title: ReactNode;
  lead?: ReactNode;
  tools?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  back?: BackLink;
  isNarrow?: boolean;
};
