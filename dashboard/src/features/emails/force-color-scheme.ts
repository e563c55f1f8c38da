/**
 * Makes a rendered email show its light or dark variant. A frame follows the system's color scheme, not the page around
 * it, so the media queries in the email are replaced. An email without dark variant is unchanged.
 */
export function forceColorScheme(html: string, scheme: 'light' | 'dark'): string {
  return html
    .replaceAll(/(@media |media=")\(prefers-color-scheme: dark\)/g, scheme === 'dark' ? '$1all' : '$1not all')
    .replaceAll(/(color-schemes?): light dark/g, `$1: ${scheme}`)
    .replaceAll('content="light dark"', `content="${scheme}"`);
}

/** Whether a rendered email adapts to dark mode. */
export const hasDarkVariant = (html: string): boolean => html.includes('@media (prefers-color-scheme: dark)');
