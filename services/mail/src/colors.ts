import type { BlockOf } from './content.ts';

/** Colors of the default templates, and their dark-mode variants. */
export const light = {
  backdrop: '#f3f5f9',
  canvas: '#ffffff',
  ink: '#1d2433',
  line: '#e4e7ee',
  link: '#2f5bea',
} as const;
const dark = { backdrop: '#0f1218', canvas: '#181d27', ink: '#e6e9f0', line: '#2b3242', link: '#8fabff' } as const;

export type Palette = {
  backdrop: string;
  canvas: string;
  ink: string;
  /** Whether the email adapts to dark mode. With custom colors, it does not. */
  isAdaptive: boolean;
};

export function resolvePalette({ backdropColor, canvasColor, textColor }: BlockOf<'EmailLayout'>): Palette {
  const { backdrop, canvas, ink } = light;
  const colors = { backdrop: backdropColor ?? backdrop, canvas: canvasColor ?? canvas, ink: textColor ?? ink };
  const isDefault = (['backdrop', 'canvas', 'ink'] as const).every(
    (part) => colors[part].toLowerCase() === light[part],
  );
  return { ...colors, isAdaptive: isDefault };
}

/** CSS class of a text in this color. */
export const inkClass = (color: string): string => `ink-${color.slice(1).toLowerCase()}`;

/** The dark-mode style sheet of an adaptive email whose texts have these colors. */
export function styleSheet(colors: Iterable<string>): string {
  const inks = [...new Set([...colors].map((color) => color.toLowerCase()))].map(
    (color) => `.${inkClass(color)} { color: ${color === light.ink ? dark.ink : readableOnDark(color)} !important; }`,
  );
  const backdrop = '.backdrop, .backdrop > table, .backdrop > table > tbody > tr > td';
  return `:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
${backdrop} { background-color: ${dark.backdrop} !important; }
.canvas { background-color: ${dark.canvas} !important; }
.link { color: ${dark.link} !important; }
.line { border-color: ${dark.line} !important; }
${inks.join('\n')}
}`;
}

/** Above the 4.5 of WCAG 2.2 §1.4.3, because texts with their own color are often small. */
const minContrast = 6;

/** Lightens a color until it is readable on the dark background. */
function readableOnDark(color: string): string {
  for (let share = 0; share < 1; share += 0.05) {
    const lighter = `#${channelsOf(color)
      .map((channel) => Math.round(channel + (255 - channel) * share))
      .map((channel) => channel.toString(16).padStart(2, '0'))
      .join('')}`;
    if (contrast(lighter, dark.canvas) >= minContrast) return lighter;
  }
  return '#ffffff';
}

/** Contrast ratio as defined by WCAG 2.2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color)
    .map((channel) => channel / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channelsOf = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
