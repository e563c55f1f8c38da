import { StackClientApp } from 'stack-js-2-8-3';

/** An app as small as can be, on an origin of its own: the published client does everything. */
type Settings = { baseUrl: string; projectId: string; publishableClientKey: string };
declare global {
  interface Window {
    settings: Settings;
    app: StackClientApp<true>;
  }
}

const app = new StackClientApp({ ...window.settings, tokenStore: 'cookie', redirectMethod: 'window' });
window.app = app as StackClientApp<true>;

function show(text: string): void {
  document.body.textContent = text;
}

try {
  if (location.pathname === '/handler/oauth-callback') {
    if (!(await app.callOAuthCallback())) show('the client did not go on');
  } else {
    const user = await app.getUser();
    show(user ? `signed in as ${user.primaryEmail}` : 'signed out');
  }
} catch (error) {
  show(`failed: ${error instanceof Error ? error.message : String(error)}`);
}
