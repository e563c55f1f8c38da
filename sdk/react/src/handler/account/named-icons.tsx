import type { ReactNode } from 'react';
import { icon, PasskeyIcon, PersonIcon, SettingsIcon, ShieldIcon } from '../icons.tsx';

const BellIcon = icon(<path d="M6 10a6 6 0 0 1 12 0c0 5 2 6.5 2 6.5H4S6 15 6 10ZM10 20a2.2 2.2 0 0 0 4 0" />);
const MonitorIcon = icon(
  <>
    <rect x="3" y="4.5" width="18" height="12" rx="2" />
    <path d="M12 16.5V20M8 20h8" />
  </>,
);
const CirclePlusIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 8v8M8 12h8" />
  </>,
);
const CreditCardIcon = icon(
  <>
    <rect x="3" y="5.5" width="18" height="13" rx="2" />
    <path d="M3 10h18" />
  </>,
);

/** By the names of the published client. */
const icons = {
  Contact: PersonIcon,
  ShieldCheck: ShieldIcon,
  Bell: BellIcon,
  Monitor: MonitorIcon,
  Key: PasskeyIcon,
  Settings: SettingsIcon,
  CirclePlus: CirclePlusIcon,
  CreditCard: CreditCardIcon,
} as const;
export type IconName = keyof typeof icons;

export function namedIcon(name: IconName): ReactNode {
  const Icon = icons[name];
  return <Icon />;
}
