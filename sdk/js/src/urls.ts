/** Entries of the URL table (protocol, client §1). */
export type UrlName =
  | 'handler'
  | 'home'
  | 'signIn'
  | 'signUp'
  | 'signOut'
  | 'afterSignIn'
  | 'afterSignUp'
  | 'afterSignOut'
  | 'emailVerification'
  | 'passwordReset'
  | 'forgotPassword'
  | 'oauthCallback'
  | 'magicLinkCallback'
  | 'accountSettings'
  | 'teamInvitation'
  | 'cliAuthConfirm'
  | 'mfa'
  | 'onboarding'
  | 'error';
export type Urls = Readonly<Record<UrlName, string>>;

/** The URLs of an app's pages: its own entries, and defaults for the rest. */
export function resolveUrls(overrides: Partial<Urls> = {}): Urls {
  const handler = overrides.handler ?? '/handler';
  const home = overrides.home ?? '/';
  const afterSignIn = overrides.afterSignIn ?? home;
  const defaults: Urls = {
    handler,
    home,
    signIn: `${handler}/sign-in`,
    signUp: `${handler}/sign-up`,
    signOut: `${handler}/sign-out`,
    afterSignIn,
    afterSignUp: afterSignIn,
    afterSignOut: home,
    emailVerification: `${handler}/email-verification`,
    passwordReset: `${handler}/password-reset`,
    forgotPassword: `${handler}/forgot-password`,
    oauthCallback: `${handler}/oauth-callback`,
    magicLinkCallback: `${handler}/magic-link-callback`,
    accountSettings: `${handler}/account-settings`,
    teamInvitation: `${handler}/team-invitation`,
    cliAuthConfirm: `${handler}/cli-auth-confirm`,
    mfa: `${handler}/mfa`,
    onboarding: `${handler}/onboarding`,
    error: `${handler}/error`,
  };
  const given = Object.entries(overrides).filter(([, url]) => url !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/**
 * Whether a URL stays on the site: resolved against a random host it must stay on that host, for both schemes. So
 * `//host`, `\\host`, `https:host` and `javascript:` fail in every spelling that a browser accepts.
 */
export function isRelativeUrl(target: string): boolean {
  const host = `${crypto.randomUUID()}.example`;
  return ['https:', 'http:'].every((scheme) => {
    if (!URL.canParse(target, `${scheme}//${host}`)) return false;
    const url = new URL(target, `${scheme}//${host}`);
    return url.host === host && url.protocol === scheme && url.username === '' && url.password === '';
  });
}

/** Path, query and hash of a URL. */
export function relativePart(url: URL): string {
  return `${url.pathname}${url.search}${url.hash}`;
}
