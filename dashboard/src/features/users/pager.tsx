import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { plural } from '../../lib/format.ts';
import classes from './users-page.module.css';

type PagerProps = {
  count: number;
  hasPrevious: boolean;
  hasNext: boolean;
  isBusy: boolean;
  onPrevious: () => void;
  onNext: () => void;
};

/** Cursor pagination: previous and next only, because the server does not count pages. */
export function Pager({ count, hasPrevious, hasNext, isBusy, onPrevious, onNext }: PagerProps) {
  if (!hasPrevious && !hasNext)
    return count === 0 ? null : <div className={classes.pager}>{plural(count, 'user')}</div>;
  return (
    <nav className={classes.pager} aria-label="Pages">
      <span>{plural(count, 'user')} on this page</span>
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
