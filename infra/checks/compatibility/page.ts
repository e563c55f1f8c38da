import * as library from 'stack-js-2-8-108';

/** An app on its own origin. The published client does everything; the tests call it through `window.app`. */
export type Settings = {
  baseUrl: string;
  projectId: string;
  publishableClientKey: string;
  secretServerKey: string;
  analytics: { enabled: false };
};
declare global {
  interface Window {
    settings: Settings;
    app: library.StackClientApp<true>;
    library: typeof library;
  }
}

const { secretServerKey: _, ...facts } = window.settings;
const app = new library.StackClientApp({ ...facts, tokenStore: 'cookie', redirectMethod: 'window' });
window.app = app as library.StackClientApp<true>;
window.library = library;

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
