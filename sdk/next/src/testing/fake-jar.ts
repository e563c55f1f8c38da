import type { CookieJar } from '../cookie-store.ts';

/** The cookies of a request, as `cookies()` returns them. `sets` lists the arguments of all calls. */
export function fakeJar(initial: Readonly<Record<string, string>> = {}) {
  const values = new Map(Object.entries(initial));
  const sets: Parameters<CookieJar['set']>[] = [];
  return {
    sets,
    getAll: () => [...values].map(([name, value]) => ({ name, value })),
    set: (...given: Parameters<CookieJar['set']>) => {
      const [name, value, { maxAge }] = given;
      sets.push(given);
      if (maxAge === 0) values.delete(name);
      else values.set(name, value);
    },
  };
}
