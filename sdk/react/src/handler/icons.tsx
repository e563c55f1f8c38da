import type { ReactNode } from 'react';

type IconProps = { size?: number };

export function icon(drawing: ReactNode) {
  return function Icon({ size = 20 }: IconProps) {
    return (
      <svg className="gbh-icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
        {drawing}
      </svg>
    );
  };
}

export const PasskeyIcon = icon(
  <>
    <circle cx="9" cy="7.5" r="3.5" />
    <path d="M3 20v-1.5A5.5 5.5 0 0 1 8.5 13h1.8" />
    <circle cx="17" cy="12" r="3" />
    <path d="M17 15v6l-1.7-1.6M17 18.3l1.6-1.4" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
    <circle cx="12" cy="12" r="2.8" />
  </>,
);
export const EyeOffIcon = icon(
  <path d="M4 4l16 16M9.9 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-2.6 3.4M6.3 7.6A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-.9M10 10a2.8 2.8 0 0 0 4 4" />,
);
export const CheckIcon = icon(<path d="M5 12.5l4.5 4.5L19 7.5" />);
export const MailIcon = icon(
  <>
    <rect x="3" y="5.5" width="18" height="13" rx="2" />
    <path d="M3.5 7.5L12 13l8.5-5.5" />
  </>,
);
export const TerminalIcon = icon(
  <>
    <rect x="3" y="4.5" width="18" height="15" rx="2" />
    <path d="M7 9.5l3 2.5-3 2.5M12.5 15H17" />
  </>,
);
export const AlertIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5.5M12 16.3v.2" />
  </>,
);
export const PersonIcon = icon(
  <>
    <circle cx="12" cy="8" r="3.7" />
    <path d="M4.5 20a7.5 7.5 0 0 1 15 0" />
  </>,
);
export const ShieldIcon = icon(
  <path d="M12 3l7.5 2.7v5.6c0 4.6-3.1 8-7.5 9.7-4.4-1.7-7.5-5.1-7.5-9.7V5.7L12 3ZM9 12l2.2 2.2L15.2 10" />,
);
export const DoorIcon = icon(
  <path d="M13 4.5H6.5A1.5 1.5 0 0 0 5 6v12a1.5 1.5 0 0 0 1.5 1.5H13M10.5 12H20M16.5 8.5L20 12l-3.5 3.5" />,
);
export const SettingsIcon = icon(<path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5" />);
export const ThemeIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />);
export const ChevronIcon = icon(<path d="M7 10l5 5 5-5" />);
