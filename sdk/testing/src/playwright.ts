import { tokenCookies } from '@gatebook/js/server';

type Cookie = {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Lax';
};
/** A page or a browser context of Playwright. */
type Context = { addCookies(cookies: Cookie[]): Promise<void> };
type Target = Context | { context(): Context };
export type SignedInUser = { tokens: { accessToken: string; refreshToken: string } };
export type AppLocation = {
  /** The URL of the app under test. */
  url: string;
  projectId: string;
};

/** Signs a user in, without the pages for it. Open or reload a page afterwards. */
export async function signIn(target: Target, user: SignedInUser, location: AppLocation): Promise<void> {
  const context = 'context' in target ? target.context() : target;
  await context.addCookies(cookiesOf(user, location));
}

/** For the option `storageState` of Playwright. */
export const storageState = (user: SignedInUser, location: AppLocation): { cookies: Cookie[]; origins: [] } => ({
  cookies: cookiesOf(user, location),
  origins: [],
});

function cookiesOf({ tokens }: SignedInUser, { url, projectId }: AppLocation): Cookie[] {
  const { hostname, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return tokenCookies(tokens, projectId, secure).flatMap((text) => {
    const [, name = '', value = '', maxAge = '0'] = /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(text) ?? [];
    if (value === '') return [];
    const expires = Math.floor(Date.now() / 1000) + Number(maxAge);
    return [{ name, value, domain: hostname, path: '/', expires, httpOnly: false, secure, sameSite: 'Lax' }];
  });
}
