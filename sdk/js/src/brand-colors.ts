/** Readable colors with the accent color of a project, as #rrggbb. */
export type BrandColors = {
  accent: string;
  /** Of texts on the accent color. */
  onAccent: string;
  /** Of links on a light ground, and on a dark one. */
  lightLink: string;
  darkLink: string;
};

const [white, black] = ['#ffffff', '#000000'];
/** The darkest light and the lightest dark ground of the sign-in pages. */
const grounds = { light: '#f0eee7', dark: '#282e2b' };
/** WCAG 2.2 §1.4.3. */
const minContrast = 4.5;

/** @param accent as #rrggbb */
export function brandColors(accent: string): BrandColors {
  return {
    accent,
    onAccent: contrast(white, accent) >= contrast(black, accent) ? white : black,
    lightLink: mixUntilReadable(accent, black, grounds.light),
    darkLink: mixUntilReadable(accent, white, grounds.dark),
  };
}

function mixUntilReadable(color: string, other: string, ground: string): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, other, share);
    if (contrast(mixed, ground) >= minContrast) return mixed;
  }
  return other;
}

function mix(one: string, other: string, share: number): string {
  const to = channelsOf(other);
  const channels = channelsOf(one).map((channel, nth) => Math.round(channel + ((to[nth] ?? 0) - channel) * share));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** (WCAG 2.2, contrast ratio) */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color)
    .map((channel) => channel / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channelsOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
