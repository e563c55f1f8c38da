import classes from './user-avatar.module.css';

const tones = ['#1c7a60', '#8a5a2b', '#4a5d9c', '#8c3f5c', '#5d6b2f', '#6a4a8c', '#2f6d8c', '#9c4a3a'] as const;

/** Initials on a color derived from the ID. Profile images would be third-party requests, so they are not loaded. */
export function UserAvatar({ id, name, size = 30 }: { id: string; name: string; size?: number }) {
  const tone = tones[[...id].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % tones.length];
  return (
    <span
      aria-hidden="true"
      className={classes.avatar}
      style={{ width: size, height: size, fontSize: size * 0.38, backgroundColor: tone }}
    >
      {initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const words =
    name
      .split('@', 1)[0]
      ?.split(/[\s._-]+/u)
      .filter(Boolean) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
