import { createHash } from 'node:crypto';

const style = `
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff7d6; }
main { max-width: 26rem; margin: 8vh auto; padding: 1.5rem; background: #fff; border: 2px dashed #8a5a00; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p.warning { margin: 0 0 1rem; padding: .5rem .75rem; background: #fff0b8; border-left: 4px solid #8a5a00; }
p.error { color: #a40000; margin: 0 0 1rem; }
label { display: block; margin-bottom: 1rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: .25rem; padding: .5rem; font: inherit; border: 1px solid #767676; border-radius: .25rem; }
button { padding: .5rem 1rem; font: inherit; border: 1px solid #1c1c1c; border-radius: .25rem; background: #fff; cursor: pointer; }
button.primary { background: #1c1c1c; color: #fff; }
`;

/**
 * No scripts, images or external resources. Browsers apply `form-action` to every redirect that follows, so it must
 * allow any app.
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
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main>${content}</main></body>
</html>
`;

export type SignInForm = { provider: string; email: string; name: string; error: string | null };

/** The form where a developer chooses who to sign in as. */
export function renderSignInPage({ provider, email, name, error }: SignInForm): string {
  const title = `Simulator for ${provider}`;
  return page(
    title,
    `
<h1>${escapeHtml(title)}</h1>
<p class="warning"><strong>For development only. This is not ${escapeHtml(provider)}.</strong>
Gatebook runs this page on your machine because no keys for ${escapeHtml(provider)} are configured. Nothing is verified and nothing
leaves your machine: sign in as anyone, and never enter a real password here.</p>
${error === null ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>`}
<form method="post">
<label>Email (any)
<input name="email" type="email" value="${escapeHtml(email)}" required maxlength="255" autocomplete="off" autofocus></label>
<label>Name (any)
<input name="name" value="${escapeHtml(name)}" maxlength="200" autocomplete="off"></label>
<button class="primary" name="answer" value="allow">Sign in</button>
<button name="answer" value="deny" formnovalidate>Deny</button>
</form>
`,
  );
}

/** For errors of oidc-provider without a redirect to the app, and for an expired sign-in. */
export function renderErrorPage(error: string): string {
  return page(
    'Simulator provider',
    `
<h1>Simulator provider for development</h1>
<p class="error" role="alert">${escapeHtml(error)}</p>
<p>Go back to the app and sign in again.</p>
`,
  );
}
