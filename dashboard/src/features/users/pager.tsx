import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { formatCount } from '../../lib/format.ts';
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
    return count === 0 ? null : (
      <div className={classes.pager}>{plural(count, { one: '# user', other: '# users' })}</div>
    );
  return (
    <nav className={classes.pager} aria-label={t`Pages`}>
      <span>
        {total === null
          ? t`${plural(count, { one: '# user', other: '# users' })} on this page`
          : t`${formatCount(count)} of ${total.isComplete ? '' : t`at least `}${plural(total.count, { one: '# user', other: '# users' })}`}
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
          <Trans>Previous</Trans>
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!hasNext}
          rightSection={<IconChevronRight size={14} aria-hidden />}
          onClick={onNext}
        >
          <Trans>Next</Trans>
        </Button>
      </span>
    </nav>
  );
}
