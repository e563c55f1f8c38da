import type { Browser, BrowserContext, Page } from 'playwright-core';

export type Watch = {
  /** What the browser complained about, and whatever it asked of another origin. */
  complaints: string[];
  open(options: { colorScheme: 'light' | 'dark'; width?: number; context?: BrowserContext }): Promise<Page>;
};

/** Opens pages that note every complaint. */
export function watchPages(browser: Browser, origin: string): Watch {
  const complaints: string[] = [];
  return {
    complaints,
    open: async ({ colorScheme, width = 1280, context }) => {
      const look = { viewport: { width, height: 844 }, colorScheme };
      const page = await (context ?? (await browser.newContext(look))).newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) {
          complaints.push(`${message.text()} ${message.location().url.replace(origin, '')}`.trim());
        }
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('request', (request) => {
        if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`);
      });
      return page;
    },
  };
}
