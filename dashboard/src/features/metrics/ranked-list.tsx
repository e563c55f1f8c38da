import { Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { Card } from '../../components/states.tsx';
import { formatCount } from '../../lib/format.ts';
import { share } from './analytics-text.ts';
import classes from './overview-page.module.css';

type Props = {
  title: string;
  labelId: string;
  /** Most first. */
  items: readonly { name: string; count: number; href: string | null }[];
  /** What 100% is. */
  whole: number;
  /** Shown without items. */
  empty: string;
};

/** Names with their counts as bars. */
export function RankedList({ title, labelId, items, whole, empty }: Props) {
  return (
    <Card title={title} labelId={labelId}>
      {items.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      <ul className={classes.methods}>
        {items.map(({ name, count, href }) => (
          <li key={name}>
            <div className={classes.methodHead}>
              <span>{href && count > 0 ? <AppLink href={href}>{name}</AppLink> : name}</span>
              <Text span size="sm" c="dimmed">
                {formatCount(count)} · {share(count, whole)}
              </Text>
            </div>
            <div className={classes.bar}>
              <div
                className={classes.barFill}
                style={{ width: `${(100 * Math.min(count, whole)) / Math.max(whole, 1)}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
