import type { CSSVariablesResolver, MantineThemeOverride } from '@mantine/core';

const bodyFont =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, "Helvetica Neue", Arial, sans-serif';
export const titleFont =
  '"Source Serif 4", ui-serif, "Iowan Old Style", Charter, "Bitstream Charter", "Noto Serif", Cambria, Georgia, serif';
const monospaceFont =
  'ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Warm neutrals with one accent color, verdigris. */
export const look = {
  primaryColor: 'verdigris',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  colors: {
    verdigris: [
      '#eaf6f1',
      '#d4ebe2',
      '#a9d8c7',
      '#7cc5ab',
      '#57b394',
      '#3da183',
      '#2a8c70',
      '#1c7a60',
      '#13614c',
      '#0b4738',
    ],
    // Dark enough for text on light surfaces.
    red: ['#fdf1ef', '#f9dcd8', '#f1b5ae', '#e88a80', '#e07468', '#cf463b', '#bd3328', '#a9281f', '#8a1f18', '#6e1812'],
    gray: [
      '#faf9f6',
      '#f3f1ec',
      '#e8e5dd',
      '#dbd7cd',
      '#c6c1b5',
      '#a39f94',
      '#716f66',
      '#57564f',
      '#3a3a35',
      '#21221f',
    ],
    dark: [
      '#e4e8e4',
      '#c3cac5',
      '#9aa49e',
      '#727c76',
      '#48514c',
      '#343b37',
      '#262c29',
      '#191d1b',
      '#121514',
      '#0b0d0c',
    ],
  },
  fontFamily: bodyFont,
  fontFamilyMonospace: monospaceFont,
  fontSizes: { xs: '0.75rem', sm: '0.8438rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontFamily: titleFont,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
} as const satisfies MantineThemeOverride;

/** `--gb-…` are surfaces that Mantine has no variables for. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--gb-title-font': titleFont },
  light: {
    '--mantine-color-body': '#f8f7f3',
    '--mantine-color-text': '#1e2421',
    '--mantine-color-dimmed': '#62655f',
    '--mantine-color-anchor': '#15694f',
    '--mantine-color-default-border': '#dcd8cd',
    '--mantine-color-placeholder': '#7b7a71',
    '--gb-surface': '#fffefb',
    '--gb-sunken': '#f0eee7',
    '--gb-line': '#e6e2d8',
    '--gb-hover': '#f3f1ea',
    '--gb-chart': '#1c7a60',
    '--gb-chart-2': '#8a6d3b',
    '--gb-chart-3': '#3b6fa5',
    '--gb-chart-4': '#9a4d73',
    '--gb-chart-5': '#5a5f99',
    '--gb-code-value': '#8a4b12',
    '--gb-past': '#b07a1e',
    '--gb-past-soft': '#fbf1dc',
  },
  dark: {
    '--mantine-color-body': '#121514',
    '--mantine-color-text': '#e4e8e4',
    '--mantine-color-dimmed': '#98a29c',
    '--mantine-color-anchor': '#6cc3a6',
    '--mantine-color-default': '#1c211f',
    '--mantine-color-default-hover': '#242a27',
    '--mantine-color-default-border': '#323935',
    '--mantine-color-placeholder': '#858f89',
    // Mantine's default is too dark for text on dark inputs.
    '--mantine-color-error': '#e88a80',
    // The text of red menu items.
    '--mantine-color-red-6': '#e88a80',
    // Mantine's defaults are almost white on almost black.
    '--mantine-color-verdigris-light': '#1d3a31',
    '--mantine-color-verdigris-light-color': '#a9d8c7',
    '--mantine-color-red-light': '#43211d',
    '--mantine-color-red-light-color': '#f1b5ae',
    '--gb-surface': '#191d1b',
    '--gb-sunken': '#0e1110',
    '--gb-line': '#282e2b',
    '--gb-hover': '#1f2422',
    '--gb-chart': '#4fb894',
    '--gb-chart-2': '#c9a66b',
    '--gb-chart-3': '#7fb0e0',
    '--gb-chart-4': '#dc94b8',
    '--gb-chart-5': '#a9aee6',
    '--gb-code-value': '#e0b070',
    '--gb-past': '#b5852f',
    '--gb-past-soft': '#2c2413',
  },
});
