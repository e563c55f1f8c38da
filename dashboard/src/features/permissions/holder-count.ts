import type { HolderCount, PermissionScope } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { formatCount } from '../../lib/format.ts';

/** How many have a permission; of many, how many at least. */
export function describeCount(scope: PermissionScope, { count, isComplete }: HolderCount): string {
  if (!isComplete) return scope === 'team' ? t`${formatCount(count)}+ memberships` : t`${formatCount(count)}+ users`;
  return scope === 'team'
    ? plural(count, { one: '# membership', other: '# memberships' })
    : plural(count, { one: '# user', other: '# users' });
}
