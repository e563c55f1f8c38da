import { plural, t } from '@lingui/core/macro';
import type { ComponentProps } from 'react';
import { Pager, SinglePageNote } from '../../components/paged-list.tsx';
import { formatCount } from '../../lib/format.ts';

type UsersPagerProps = Omit<ComponentProps<typeof Pager>, 'children'> & {
  count: number;
  /** How many users there are on all pages; null if that is not known. */
  total: { count: number; isComplete: boolean } | null;
};

export function UsersPager({ count, total, ...pager }: UsersPagerProps) {
  if (pager.onPrevious !== null || pager.onNext !== null) return <Pager {...pager}>{describePage(count, total)}</Pager>;
  if (count === 0) return null;
  return <SinglePageNote>{plural(count, { one: '# user', other: '# users' })}</SinglePageNote>;
}

const describePage = (count: number, total: UsersPagerProps['total']): string =>
  total === null
    ? t`${plural(count, { one: '# user', other: '# users' })} on this page`
    : t`${formatCount(count)} of ${total.isComplete ? '' : t`at least `}${plural(total.count, { one: '# user', other: '# users' })}`;
