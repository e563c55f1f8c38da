import { createHash } from 'node:crypto';

const style = `
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff7d6; }
main { max-width: 26rem; margin: 8vh auto; padding: 1.5rem; background: #fff; border: 2px dashed #8a5a00; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p.warning { margin: 0 0 1rem; padding: .5rem .75rem; background: #fff0b8; border-left: 4px solid #8a5a00; }
p.fault { color: #a40000; margin: 0 0 1rem; }
label { display: block; margin-bottom: 1rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .5rem; font: inherit; border: 1px solid #767676; border-radius: .25rem; }
button { padding: .5rem 1rem; font: inherit; border: 1px solid #1c1c1c; border-radius: .25rem; background: #fff; cursor: pointer; }
button.chief { background: #1c1c1c; color: #fff; }
`;

/**
 * No script, no picture, nothing from elsewhere. Forms lead on to wherever the app is: browsers hold `form-action` against
 * every redirect that follows.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self' http: https:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body><main>${content}</main></body>
</html>
`;

export type SignInForm = { provider: string; email: string; name: string; fault: string | null };

/** Where a developer says who they are to be. */
export function signInPage({ provider, email, name, fault }: SignInForm): string {
  const title = `Simulator for ${provider}`;
  return page(
    title,
    `
<h1>${escaped(title)}</h1>
<p class="warning"><strong>For development only. This is not ${escaped(provider)}.</strong>
Gatebook runs this page on your machine because no keys for ${escaped(provider)} are configured. Nobody is checked here, nothing
leaves your machine: sign in as anybody, and type no real password anywhere on it.</p>
${fault === null ? '' : `<p class="fault" role="alert">${escaped(fault)}</p>`}
<form method="post">
<label>E-mail address (any)
<input name="email" type="email" value="${escaped(email)}" required maxlength="255" autocomplete="off" autofocus></label>
<label>Name (any)
<input name="name" value="${escaped(name)}" maxlength="200" autocomplete="off"></label>
<button class="chief" name="answer" value="allow">Sign in</button>
<button name="answer" value="deny" formnovalidate>Deny</button>
</form>
`,
  );
}

/** For what oidc-provider rejects without a way back to the app, and for a sign-in that is over. */
export function faultPage(fault: string): string {
  return page(
    'Simulator provider',
    `
<h1>Simulator provider for development</h1>
<p class="fault" role="alert">${escaped(fault)}</p>
<p>Go back to the app and sign in again.</p>
`,
  );
}
