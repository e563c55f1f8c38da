import type { ListPage, PageQuery } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './paged-list.module.css';

type PagedList<Item> = Resource<readonly Item[]> & {
  /** Buttons for the pages; null if there is only one. */
  pager: ReactNode;
};

/** A list that is read page by page. `key`: of the whole list; another key begins at the first page. */
export function usePagedList<Item>(
  key: readonly (string | null)[],
  load: (page: PageQuery) => Promise<ListPage<Item>>,
  limit = 25,
): PagedList<Item> {
  const id = JSON.stringify(key);
  const [visited, setVisited] = useState<{ id: string; cursors: readonly (string | null)[] }>({ id, cursors: [null] });
  const cursors = visited.id === id ? visited.cursors : [null];
  const cursor = cursors.at(-1) ?? null;
  const { value, ...state } = useResource([...key, 'page', cursor], () => load({ cursor, limit }));
  const nextCursor = value?.nextCursor ?? null;
  const hasPrevious = cursors.length > 1;
  const pager = (hasPrevious || nextCursor !== null) && (
    <Pager
      onPrevious={hasPrevious ? () => setVisited({ id, cursors: cursors.slice(0, -1) }) : null}
      onNext={nextCursor === null ? null : () => setVisited({ id, cursors: [...cursors, nextCursor] })}
    />
  );
  return { value: value?.items, ...state, pager: pager || null };
}

type PagerProps = {
  /** null on the first page. */
  onPrevious: (() => void) | null;
  /** null on the last page. */
  onNext: (() => void) | null;
  isBusy?: boolean;
  children?: ReactNode;
};

/** In the place of a pager, if there is only one page. */
export const SinglePageNote = ({ children }: { children: ReactNode }) => (
  <div className={classes.pager}>{children}</div>
);

/** Cursor pagination: previous and next only. */
export function Pager({ onPrevious, onNext, isBusy = false, children }: PagerProps) {
  return (
    <nav className={classes.pager} aria-label={t`Pages`}>
      {children}
      <span className={classes.buttons}>
        <Button
          size="xs"
          variant="default"
          disabled={onPrevious === null}
          loading={isBusy}
          leftSection={<IconChevronLeft size={14} aria-hidden />}
          onClick={() => onPrevious?.()}
        >
          <Trans>Previous</Trans>
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={onNext === null}
          rightSection={<IconChevronRight size={14} aria-hidden />}
          onClick={() => onNext?.()}
        >
          <Trans>Next</Trans>
        </Button>
      </span>
    </nav>
  );
}
