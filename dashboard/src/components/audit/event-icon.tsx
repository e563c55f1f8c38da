import type { AuditEvent } from '@gatebook/js/admin';
import {
  IconAlertTriangle,
  IconBan,
  IconChartBar,
  IconClockHour4,
  IconDoorEnter,
  IconDoorExit,
  IconDownload,
  IconKey,
  IconMail,
  IconPencil,
  IconSettings,
  IconShieldCheck,
  IconUserMinus,
  IconUserPlus,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import classes from './audit.module.css';

type Look = { Icon: typeof IconClockHour4; tone: 'good' | 'bad' | 'plain' };

/** The first pattern that matches the event type wins. */
const looks: readonly (readonly [RegExp, Look])[] = [
  [/^UserCreated/, { Icon: IconUserPlus, tone: 'good' }],
  [/^UserDeletionCanceled/, { Icon: IconUserPlus, tone: 'good' }],
  [/^UserDelet/, { Icon: IconUserMinus, tone: 'bad' }],
  [/^SessionStarted/, { Icon: IconDoorEnter, tone: 'good' }],
  [/^UserRestrict/, { Icon: IconBan, tone: 'bad' }],
  [/^(SessionEnded|UserSessionsEnded)/, { Icon: IconDoorExit, tone: 'bad' }],
  [/Exported$/, { Icon: IconDownload, tone: 'plain' }],
  [/^Webhook/, { Icon: IconWebhook, tone: 'plain' }],
  [/^CustomMetric/, { Icon: IconChartBar, tone: 'plain' }],
  [/^ProjectConfig|^ProjectSettings|^ProjectDetails|^Config/, { Icon: IconSettings, tone: 'plain' }],
  [/Password|Auth|Passkey|Totp|ApiKey|ProjectKey/, { Icon: IconKey, tone: 'plain' }],
  [/Permission/, { Icon: IconShieldCheck, tone: 'plain' }],
  [/^Team/, { Icon: IconUsersGroup, tone: 'plain' }],
  [/Channel|Email/, { Icon: IconMail, tone: 'plain' }],
  [/^User/, { Icon: IconPencil, tone: 'plain' }],
];
const fallback: Look = { Icon: IconClockHour4, tone: 'plain' };

const rejected: Look = { Icon: IconAlertTriangle, tone: 'bad' };

export function EventIcon({ type, outcome }: Pick<AuditEvent, 'type' | 'outcome'>) {
  const look = looks.find(([pattern]) => pattern.test(type))?.[1] ?? fallback;
  const { Icon, tone } = outcome === 'rejected' ? rejected : look;
  return (
    <span className={classes.icon} data-tone={tone}>
      <Icon size={15} aria-hidden />
    </span>
  );
}
