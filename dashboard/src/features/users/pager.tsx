import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { formatCount, plural } from '../../lib/format.ts';
import classes from './users-page.module.css';

type PagerProps = {
  count: number;
  /** How many users there are on all pages; null if that is not known. */
  total: { count: number; isComplete: boolean } | null;
  hasPrevious: boolean;
  hasNext: boolean;
  isBusy: boolean;
  onPrevious: () => void;
  onNext: () => void;
};

/** Cursor pagination: previous and next only. */
export function Pager({ count, total, hasPrevious, hasNext, isBusy, onPrevious, onNext }: PagerProps) {
  if (!hasPrevious && !hasNext)
    return count === 0 ? null : <div className={classes.pager}>{plural(count, 'user')}</div>;
  return (
    <nav className={classes.pager} aria-label="Pages">
      <span>
        {total === null
          ? `${plural(count, 'user')} on this page`
          : `${formatCount(count)} of ${total.isComplete ? '' : 'at least '}${plural(total.count, 'user')}`}
      </span>
      <span className={classes.pagerButtons}>
        <Button
          size="xs"
          variant="default"
          disabled={!hasPrevious}
          loading={isBusy}
          leftSection={<IconChevronLeft size={14} aria-hidden />}
          onClick={onPrevious}
        >
          Previous
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!hasNext}
          rightSection={<IconChevronRight size={14} aria-hidden />}
          onClick={onNext}
        >
          Next
        </Button>
      </span>
    </nav>
  );
}
