import {
  IconClockHour4,
  IconDoorEnter,
  IconDoorExit,
  IconKey,
  IconMail,
  IconPencil,
  IconShieldCheck,
  IconUserMinus,
  IconUserPlus,
  IconUsersGroup,
} from '@tabler/icons-react';
import classes from '../audit/audit.module.css';

type Look = { Icon: typeof IconClockHour4; tone: 'good' | 'bad' | 'plain' };

/** The first pattern that matches the type wins. */
const looks: readonly (readonly [RegExp, Look])[] = [
  [/^user\.created/, { Icon: IconUserPlus, tone: 'good' }],
  [/^user\.(deleted|erased)/, { Icon: IconUserMinus, tone: 'bad' }],
  [/^user\.signed_in|^session\.created/, { Icon: IconDoorEnter, tone: 'good' }],
  [/^user\.sign_in_failed|^session\.(ended|revoked)/, { Icon: IconDoorExit, tone: 'bad' }],
  [/permission/, { Icon: IconShieldCheck, tone: 'plain' }],
  [/^team/, { Icon: IconUsersGroup, tone: 'plain' }],
  [/^contact_channel/, { Icon: IconMail, tone: 'plain' }],
  [/^(passkey|mfa|api_key|project_key|password)/, { Icon: IconKey, tone: 'plain' }],
  [/^(user|project)\./, { Icon: IconPencil, tone: 'plain' }],
];
const fallback: Look = { Icon: IconClockHour4, tone: 'plain' };

export function EventMark({ type }: { type: string }) {
  const { Icon, tone } = looks.find(([pattern]) => pattern.test(type))?.[1] ?? fallback;
  return (
    <span className={classes.icon} data-tone={tone}>
      <Icon size={15} aria-hidden />
    </span>
  );
}
