import type { Metrics } from '@gatebook/js/admin';
import { Text } from '@mantine/core';
import { Card } from '../../components/states.tsx';
import { formatCount } from '../../lib/format.ts';
import { methodName } from '../../lib/sign-in-methods.ts';
import classes from './overview-page.module.css';

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** A user can have several methods, so the shares can add up to more than 100%. */
export function SignInMethods({ methods, totalUsers }: { methods: Metrics['loginMethods']; totalUsers: number }) {
  return (
    <Card title="Sign-in methods" labelId="methods-title">
      {methods.length === 0 && (
        <Text size="sm" c="dimmed">
          No sign-in methods in use yet.
        </Text>
      )}
      <ul className={classes.methods}>
        {methods.map(({ method, count }) => {
          const share = Math.min(1, count / Math.max(totalUsers, 1));
          return (
            <li key={method}>
              <div className={classes.methodHead}>
                <span>{methodName(method)}</span>
                <Text span size="sm" c="dimmed">
                  {formatCount(count)} · {percent.format(share)}
                </Text>
              </div>
              <div className={classes.bar}>
                <div className={classes.barFill} style={{ width: `${share * 100}%` }} />
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
