/**
 * A drawn mail as programs with a light or a dark page show it. Frames ask the system for its scheme, whatever the page around
 * them says, so the question in the mail is answered beforehand. A mail with a background of its own asks nothing and stays.
 */
export function inScheme(html: string, scheme: 'light' | 'dark'): string {
  return html
    .replaceAll('@media (prefers-color-scheme: dark)', scheme === 'dark' ? '@media all' : '@media not all')
    .replaceAll(/(color-schemes?): light dark/g, `$1: ${scheme}`)
    .replaceAll('content="light dark"', `content="${scheme}"`);
}
