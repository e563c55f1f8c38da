/** The page that an app runs on: its URL and cookies, without a browser. */
export function createPage() {
  const cookies = new Map<string, string>();
  const visited: string[] = [];
  const page = {
    href: 'http://localhost:3000/',
    visited,
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(text: string) {
      const [pair = ''] = text.split(';');
      const cut = pair.indexOf('=');
      if (text.includes('Max-Age=0')) cookies.delete(pair.slice(0, cut));
      else cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    },
    assign: (url: string | URL) => {
      page.href = new URL(url, page.href).href;
      visited.push(String(url));
    },
    replace: (url: string | URL) => page.assign(url),
    rewrite: (url: string) => {
      page.href = url;
    },
  };
  return page;
}
