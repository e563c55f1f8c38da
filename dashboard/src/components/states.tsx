import { Trans } from '@lingui/react/macro';
import { Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { errorText } from '../lib/error-text.ts';
import classes from './states.module.css';
import { Writing } from './writing.tsx';

type ErrorNoteProps = {
  error: unknown;
  title?: string;
  onRetry?: (() => Promise<void>) | undefined;
  isRetrying?: boolean;
};

/** Shows what failed, with a retry button where retrying is possible. */
export function ErrorNote({ error, title, onRetry, isRetrying = false }: ErrorNoteProps) {
  return (
    <div role="alert" className={classes.error}>
      <IconAlertTriangle size={18} aria-hidden className={classes.errorIcon} />
      <div className={classes.errorText}>
        {title && <Text fw={600}>{title}</Text>}
        <Text size="sm">{errorText(error)}</Text>
        {onRetry && (
          <Button
            mt="sm"
            size="xs"
            variant="default"
            loading={isRetrying}
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={() => void onRetry()}
          >
            <Trans>Try again</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

/** Empty state: what belongs here and what to do next. */
export function EmptyNote({ icon, title, children, action }: EmptyNoteProps) {
  return (
    <div className={classes.empty}>
      {icon && <div className={classes.emptyIcon}>{icon}</div>}
      <Title order={2}>{title}</Title>
      {children && (
        <Text c="dimmed" size="sm" maw="26rem">
          {children}
        </Text>
      )}
      {action && <div className={classes.emptyAction}>{action}</div>}
    </div>
  );
}
type EmptyNoteProps = { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode };

/** Skeleton for rows that are loading. What comes after it appears with them (`page.module.css`). */
export function RowsLoading({ rows = 5, label }: { rows?: number; label: string }) {
  return (
    <Stack gap={0} role="status" aria-label={label} data-resizes>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <div key={row} className={classes.row}>
          <Skeleton circle h={30} w={30} />
          <Stack gap={6} flex={1}>
            <Skeleton h={10} w={`${28 + ((row * 17) % 26)}%`} />
            <Skeleton h={8} w={`${38 + ((row * 11) % 22)}%`} />
          </Stack>
        </div>
      ))}
    </Stack>
  );
}

const LINE_PX = 44;
const MAX_LINES = 7;

type BlockLoadingProps = { height: number; label: string; resizes?: boolean };

/**
 * Skeleton for a block that is loading: some lines, in a card unless it is within one. `resizes`: the block can be much
 * higher or lower, so what comes after it appears with it.
 */
export function BlockLoading({ height, label, resizes }: BlockLoadingProps) {
  const lines = Math.min(MAX_LINES, Math.max(1, Math.floor(height / LINE_PX)));
  return (
    <div
      role="status"
      aria-label={label}
      className={classes.block}
      style={{ minHeight: height }}
      {...(resizes && { 'data-resizes': true })}
    >
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
        <Skeleton key={line} h={line === 0 ? 14 : 10} w={line === 0 ? '30%' : `${52 + ((line * 23) % 38)}%`} />
      ))}
    </div>
  );
}

export function Card({ children, title, details, actions, flush = false, labelId }: CardProps) {
  return (
    <Paper component="section" className={classes.card} {...(labelId && { 'aria-labelledby': labelId })}>
      {title && (
        <div className={classes.cardHead}>
          <Title order={2} {...(labelId && { id: labelId })}>
            {title}
          </Title>
          {(details || actions) && (
            <div className={classes.cardActions}>
              {details}
              {actions && <Writing>{actions}</Writing>}
            </div>
          )}
        </div>
      )}
      <div className={flush ? classes.flush : classes.cardBody}>{children}</div>
    </Paper>
  );
}
type CardProps = {
  children: ReactNode;
  title?: string;
  /** Controls that only show more. */
  details?: ReactNode;
  /** Controls that change something. */
  actions?: ReactNode;
  flush?: boolean;
  labelId?: string;
};
