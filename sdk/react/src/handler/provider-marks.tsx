import type { ReactNode } from 'react';

/** The providers' logos in a 24 × 24 box. Black logos use the text color, so that they are visible in dark mode. */
const marks: Readonly<Record<string, ReactNode>> = {
  google: (
    <g fill="none" strokeWidth="4">
      <path stroke="#4285f4" d="M12 12.2h9.1a9 9 0 0 1-3 6.7" />
      <path stroke="#34a853" d="M18.1 18.9a9.1 9.1 0 0 1-14-2.4" />
      <path stroke="#fbbc05" d="M4.1 16.5a9 9 0 0 1 0-9" />
      <path stroke="#ea4335" d="M4.1 7.5a9.1 9.1 0 0 1 14.2-1.9" />
    </g>
  ),
  github: (
    <path
      fill="currentcolor"
      transform="translate(1 1) scale(1.375)"
      d="M8 0a8 8 0 0 0-2.53 15.59c.4.07.55-.17.55-.38l-.01-1.49c-2.01.37-2.53-.49-2.69-.94-.09-.23-.48-.94-.82-1.13-.28-.15-.68-.52-.01-.53.63-.01 1.08.58 1.23.82.72 1.21 1.87.87 2.33.66.07-.52.28-.87.51-1.07-1.78-.2-3.64-.89-3.64-3.95 0-.87.31-1.59.82-2.15-.08-.2-.36-1.02.08-2.12 0 0 .67-.21 2.2.82a7.6 7.6 0 0 1 4 0c1.53-1.04 2.2-.82 2.2-.82.44 1.1.16 1.92.08 2.12.51.56.82 1.27.82 2.15 0 3.07-1.87 3.75-3.65 3.95.29.25.54.73.54 1.48l-.01 2.2c0 .21.15.46.55.38A8 8 0 0 0 8 0Z"
    />
  ),
  microsoft: (
    <>
      <path fill="#f25022" d="M2 2h9.5v9.5H2z" />
      <path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z" />
      <path fill="#00a4ef" d="M2 12.5h9.5V22H2z" />
      <path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z" />
    </>
  ),
  spotify: (
    <>
      <circle cx="12" cy="12" r="11" fill="#1ed760" />
      <path
        fill="none"
        stroke="#000"
        strokeLinecap="round"
        strokeWidth="2"
        d="M5.6 8.9c4.5-1.3 9-.9 12.8 1.2M6.3 12.5c3.8-1 7.4-.6 10.6 1.1M7 15.9c3-.7 5.8-.4 8.4 1"
      />
    </>
  ),
  facebook: (
    <>
      <circle cx="12" cy="12" r="11" fill="#0866ff" />
      <path
        fill="#fff"
        d="M10.2 23v-8.2H7.6v-3.3h2.6V9.6c0-2.9 1.5-4.3 4.2-4.3.8 0 1.5.1 2 .2v3h-1.3c-1.1 0-1.5.5-1.5 1.5v1.5h2.7l-.5 3.3h-2.2V23z"
      />
    </>
  ),
  discord: (
    <>
      <path
        fill="#5865f2"
        d="M8.6 4.2a16 16 0 0 0-4.2 1.2C1.9 9.2 1.2 13 1.5 16.7a16 16 0 0 0 5.1 2.6l1.2-1.9-1.7-.9.4-.3c3.5 1.6 7.4 1.6 11 0l.4.3-1.7.9 1.2 1.9a16 16 0 0 0 5.1-2.6c.4-4.3-.7-8-2.9-11.3a16 16 0 0 0-4.2-1.2l-.5 1a15 15 0 0 0-5.8 0z"
      />
      <circle cx="8.3" cy="12.2" r="1.9" fill="#fff" />
      <circle cx="15.7" cy="12.2" r="1.9" fill="#fff" />
    </>
  ),
  gitlab: (
    <>
      <path fill="#e24329" d="M12 22 16 9.5H8z" />
      <path fill="#fc6d26" d="m12 22-4-12.5H2.3zM12 22l4-12.5h5.7z" />
      <path fill="#fca326" d="m2.3 9.5-1.2 3.7c-.1.4 0 .7.3.9L12 22zM21.7 9.5l1.2 3.7c.1.4 0 .7-.3.9L12 22z" />
      <path fill="#e24329" d="M2.3 9.5H8L5.5 2c-.1-.4-.7-.4-.8 0zM21.7 9.5H16L18.5 2c.1-.4.7-.4.8 0z" />
    </>
  ),
  bitbucket: (
    <path
      fill="#2684ff"
      d="M2 3.5a.8.8 0 0 0-.8.9l2.7 16c.1.5.5.8 1 .8H19c.4 0 .7-.2.8-.6l3-16.2a.8.8 0 0 0-.8-.9zM14.4 15H9.7L8.4 8.7h7.2z"
    />
  ),
  linkedin: (
    <>
      <rect x="1.5" y="1.5" width="21" height="21" rx="2.5" fill="#0a66c2" />
      <path
        fill="#fff"
        d="M4.8 9.5h3v9.7h-3zM6.3 4.7a1.8 1.8 0 1 1 0 3.5 1.8 1.8 0 0 1 0-3.5M9.8 9.5h2.9v1.3c.4-.8 1.4-1.6 2.9-1.6 3.1 0 3.7 2 3.7 4.7v5.3h-3v-4.7c0-1.1 0-2.6-1.6-2.6s-1.8 1.2-1.8 2.5v4.8h-3.1z"
      />
    </>
  ),
  apple: (
    <path
      fill="currentcolor"
      d="M16.6 1.5c.1 1.2-.4 2.4-1.1 3.2-.7.9-1.9 1.6-3.1 1.5-.1-1.2.5-2.4 1.1-3.1.8-.9 2.1-1.5 3.1-1.6M20.5 17.4c-.6 1.3-.8 1.9-1.6 3.1-1 1.6-2.5 3.5-4.3 3.5-1.6 0-2-1-4.2-1s-2.6 1-4.2 1c-1.8 0-3.2-1.7-4.2-3.3C-.9 16.3-1.2 11.2.5 8.5 1.8 6.6 3.7 5.4 5.6 5.4c1.9 0 3.1 1 4.6 1s2.5-1 4.7-1c1.7 0 3.5.9 4.7 2.5-4.1 2.3-3.5 8.2.9 9.5"
      transform="translate(1.5) scale(.98)"
    />
  ),
  x: (
    <path
      fill="currentcolor"
      fillRule="evenodd"
      d="M1.5 2h6.7l5 6.7L19 2h2.7l-7.3 8.4L22.5 22h-6.6l-5.5-7.4L4 22H1.3l7.8-9zm3.9 1.9 11.4 16.2h1.9L7.3 3.9z"
    />
  ),
};

export function ProviderMark({ id }: { id: string }) {
  const drawing = Object.hasOwn(marks, id) ? marks[id] : null;
  if (!drawing) return null;
  return (
    <svg className="gbh-mark" viewBox="0 0 24 24" aria-hidden="true">
      {drawing}
    </svg>
  );
}
